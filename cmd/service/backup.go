package service

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/spf13/cobra"

	"foretell/internal/backup"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/filelock"
	"foretell/internal/humanize"
	"foretell/internal/symlink"
	"foretell/internal/term"
)

// stdStream is the argument that means standard output for backup, and standard input for
// restore.
const stdStream = "-"

type backupOptions struct {
	factory *cli.Factory
	cmd     *cobra.Command
	output  cli.Output

	force bool
}

// NewBackupCmd returns the command `backup`.
func NewBackupCmd(f *cli.Factory) *cobra.Command {
	opts := &backupOptions{factory: f}
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write all rows and files of a service to one file",
		Long: `Writes a backup of a service while the service is running. The backup is one tar archive
with the rows of the database and the stored files, each with its SHA-256. If FILE is
"-", the backup is written to standard output.

A backup does not depend on the kind of database and storage. For example, you can
back up a service on one machine, and restore the backup into PostgreSQL and S3 with
` + "`foretell restore`" + `.

The schema of the database is not upgraded. If the schema is of an earlier version,
` + "`foretell restore`" + ` upgrades the restored database.

The backup contains password hashes and the key of signed URLs, but no sessions and no
one-time links. Only the owner of FILE can read FILE.

If stored files are damaged or missing, the command lists them, and the exit status is
11. The backup is written nevertheless, without the missing files, and with the damaged
ones as far as they can be read.`,
		Args: cli.PositionalArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.cmd = cmd
	bindServiceLocation(cmd)
	opts.output.BindItem(cmd, f, cli.ResultType[backupDocument]())
	cmd.Flags().BoolVar(&opts.force, "force", false, "replace FILE if it exists")
	return cmd
}

// bindServiceLocation adds the flags that select where a service stores its data: --data-dir,
// --storage and --database.
func bindServiceLocation(cmd *cobra.Command) {
	cmd.Flags().String(config.KeyDataDir, "", "`folder` of the service's data")
	connect.BindStorage(cmd)
	connect.BindDatabase(cmd)
}

// backupDocument is the output of backup and restore. Schema is the version of the database schema,
// and Damaged is the number of files that were damaged or missing when the backup was written.
type backupDocument struct {
	Path      string `json:"path"`
	CreatedOn string `json:"createdOn"`
	Schema    int64  `json:"schema"`
	Rows      int64  `json:"rows"`
	Files     int64  `json:"files"`
	Bytes     int64  `json:"bytes"`
	Damaged   int    `json:"damaged"`
}

// printSummary prints the contents of a backup.
func printSummary(o *cli.Output, path string, s *backup.Summary) error {
	document := backupDocument{
		Path: path, CreatedOn: s.Header.Created.Format("2006-01-02T15:04:05Z"), Schema: s.Header.Schema,
		Rows: s.Rows, Files: s.Files, Bytes: s.Bytes, Damaged: len(s.Damaged),
	}
	return cli.PrintItem(o, document, "path", "createdOn", "schema", "rows", "files", "bytes", "damaged")
}

func (o *backupOptions) run(ctx context.Context, path string) error {
	var summary *backup.Summary
	tempDir := ""          // the default folder for temporary files
	if path != stdStream { // the backup itself needs space for the rows, so its disk also has the temporary file with the rows
		tempDir = filepath.Dir(symlink.Resolve(path))
	}
	write := func(w io.Writer) (err error) {
		summary, err = connect.Backup(ctx, o.factory, o.cmd, w, tempDir)
		return err
	}
	if path == stdStream {
		if o.factory.Console.OutTerminal {
			return exit.Usagef("a backup cannot be printed on a terminal").WithHint("write the backup to a file with `foretell backup FILE`, or pipe the output")
		}
		if err := write(o.factory.Console.Out); err != nil {
			return err
		}
		return o.checkDamaged(summary)
	}
	if err := o.writeFile(path, write); err != nil {
		return err
	}
	if err := o.checkDamaged(summary); err != nil {
		return err
	}
	return printSummary(&o.output, path, summary)
}

// createPartFile creates and locks the file at partPath, where the backup is written. path is the path of
// the complete backup, for error messages.
func createPartFile(partPath, path string) (*os.File, error) {
	file, err := filelock.Create(partPath)
	switch {
	case errors.Is(err, filelock.ErrLocked):
		return nil, exit.Errorf(exit.Conflict, "another backup is being written to %s", path).WithHint("wait until the other backup ends, or write to another file")
	case errors.Is(err, filelock.ErrNotRegular):
		return nil, exit.Errorf(exit.Conflict, "cannot create the temporary file %s: something other than a regular file has this name", partPath).
			WithHint("remove or rename whatever has this name, or write the backup to another file")
	case errors.Is(err, fs.ErrExist): // the file system has no locks
		return nil, exit.Errorf(exit.Conflict, "the temporary file %s already exists", partPath).
			WithHint("if no other backup is running, this file is left from a backup that was killed; delete it with `rm %s`", term.ShellQuote(partPath))
	}
	return file, err
}

// writeFile creates the file at path with the output of the function write. Only the owner can read
// the file. If path is a link, writeFile creates the target of the link. The file is named
// path.part until it is complete. If path.part exists, writeFile replaces it. But it returns an
// error if another backup is writing path.part, or if the file system has no locks.
func (o *backupOptions) writeFile(path string, write func(io.Writer) error) (err error) {
	if err := cli.CheckOutputPath(path, o.force, "name another file"); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // the backup would replace it by a regular file
		return exit.Usagef("the output \"%s\" is a device or a pipe, not a file", path).WithHint("write the backup to standard output, and redirect it: `foretell backup - > %s`", term.ShellQuote(path))
	}
	path = symlink.Resolve(path) // write the target of a link, and keep the link
	part := path + ".part"
	// The lock shows that a backup is running. A file without a lock is left from one that was killed.
	file, err := createPartFile(part, path)
	if err != nil {
		return err
	}
	closeFile := sync.OnceValue(file.Close)
	defer func() {
		if runtime.GOOS == "windows" { // Windows cannot remove an open file
			_ = closeFile()
		}
		if err != nil {
			_ = os.Remove(part)
		}
		_ = closeFile() // only now, so that no other backup overwrites the file before it is installed
	}()
	if err := errors.Join(write(file), file.Sync()); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // Windows cannot rename an open file
		if err := closeFile(); err != nil {
			return err
		}
	}
	return cli.InstallPrivateFile(part, path, o.force)
}

// checkDamaged prints which files of the service are damaged or missing. If there are any, it returns
// an error.
func (o *backupOptions) checkDamaged(s *backup.Summary) error {
	noteDamaged(o.factory, s)
	if len(s.Damaged) == 0 {
		return nil
	}
	return exit.Errorf(exit.Untrusted, "the backup was written, but files of the service are damaged or missing (%s)", humanize.Count(len(s.Damaged), "file")).
		WithHint("restore the listed files under their names from an older backup; `foretell doctor --files` checks all files")
}

// noteDamaged prints a notice for each file that was damaged or missing when a backup was
// written.
func noteDamaged(f *cli.Factory, s *backup.Summary) {
	for _, d := range s.Damaged {
		f.Note("damaged: %s, the %s file of %s: %s", d.Blob, d.Kind, d.Owner, d.Reason)
	}
}
