package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"foretell/internal/exit"
	"foretell/internal/symlink"
	"foretell/internal/term"
)

// WriteFileAtomic creates a file at path with the output of the function write. The file is
// complete or missing, even after a power failure. If force is not set and path exists, it returns
// the error of InstallFile. It writes directly to a device or a pipe. If path is a symbolic link,
// it writes the target and keeps the link. Writing to a pipe ends when ctx ends.
func WriteFileAtomic(ctx context.Context, path string, force bool, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		_, err := term.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, writeExisting(path, b.Bytes()) })
		return err
	}
	path = symlink.Resolve(path)
	part, err := CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	_, err = part.Write(b.Bytes())
	if err = errors.Join(err, part.Sync(), part.Close()); err == nil {
		err = InstallFile(part.Name(), path, force)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}

// writeExisting writes data to a device or a pipe. Unlike os.WriteFile, it does not create a file if
// the pipe was removed meanwhile.
func writeExisting(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// CreateTemp creates a temporary hidden file in dir, with the user's default permissions. The name
// is short, so that it is never too long for the file system.
func CreateTemp(dir string) (*os.File, error) {
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	path := filepath.Join(dir, ".foretell.part-"+hex.EncodeToString(random[:]))
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
}

// InstallFile moves the complete file at tempPath to path. A file that is replaced keeps its
// permissions; see [CopyPermissions]. If force is not set and path exists, InstallFile changes
// nothing. The error then has the status Conflict and wraps fs.ErrExist, even if another process
// creates path at the same time.
func InstallFile(tempPath, path string, force bool) error {
	if force {
		if err := CopyPermissions(tempPath, path); err != nil {
			return err
		}
		return os.Rename(tempPath, path)
	}
	err := os.Link(tempPath, path) // unlike a rename, it fails if the path exists
	if err == nil {
		return os.Remove(tempPath)
	}
	if !errors.Is(err, fs.ErrExist) {
		err = renameExclusive(tempPath, path)
	}
	if errors.Is(err, fs.ErrExist) {
		return existsError(path)
	}
	return err
}

// CheckInstall returns an error if InstallFile would fail because of the file or folder at path. It
// must be called for each of several files that belong together, before the first call of InstallFile.
func CheckInstall(path string, force bool) error {
	info, err := os.Stat(path)
	if err == nil && (!force || info.IsDir()) {
		return existsError(path)
	}
	return nil // usually, there is no such file; otherwise, InstallFile returns the error
}

// existsError returns the error for a file that was created while its contents were computed.
func existsError(path string) error {
	return exit.Errorf(exit.Conflict, "the output was not written, because another process has created it: %w",
		&fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}).WithHint("replace the file with --force, or write to another file")
}

// CopyPermissions sets the permissions of the file at tempPath to the permissions of the file at
// path, if that is a regular file. It also sets the owner and the group, as far as this user may
// change them.
func CopyPermissions(tempPath, path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		copyOwner(tempPath, info)
		return os.Chmod(tempPath, info.Mode().Perm())
	}
	return nil
}

// InstallPrivateFile is like InstallFile, but keeps the permissions of the file at tempPath. A file
// that is replaced keeps only its owner and group, as far as this user may set them.
func InstallPrivateFile(tempPath, path string, force bool) error {
	if !force {
		return InstallFile(tempPath, path, false)
	}
	if info, err := os.Stat(path); err == nil {
		copyOwner(tempPath, info)
	}
	return os.Rename(tempPath, path)
}

// renameExclusive is InstallFile without force on a file system that has no hard links. It first
// creates an empty file at path, which fails if path exists, and then renames tempPath to path.
func renameExclusive(tempPath, path string) error {
	reserved, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if err := errors.Join(reserved.Close(), os.Rename(tempPath, path)); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// CheckOutputPath returns an error if no file may be written to path or, if path is a symbolic link,
// to its target. The reason may be:
//
//   - The folder of the file does not exist or is read-only.
//   - The name is too long.
//   - path is itself a folder.
//   - path is an existing file, and force is false.
//
// A device or a pipe is allowed. otherHint is the part of the hints that says how to choose another
// file, such as "write to another file with -o".
func CheckOutputPath(path string, force bool, otherHint string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
	case errors.Is(err, syscall.ENAMETOOLONG):
		return exit.Usagef("the name of the output \"%s\" is too long", term.Truncate(path, 60)).WithHint("%s", otherHint)
	case err != nil:
		return err
	case info.IsDir():
		return exit.Usagef("the output \"%s\" is a folder, not a file", path).WithHint("%s", otherHint)
	case !info.Mode().IsRegular():
		return nil
	case !force:
		return exit.Errorf(exit.Conflict, "the output \"%s\" already exists", path).WithHint("replace it with --force, or %s", otherHint)
	}
	return CheckFolder(filepath.Dir(symlink.Resolve(path)), "output", otherHint)
}

// CheckFolder returns an error if dir does not exist, or if this process cannot create files in
// dir. It creates a file and removes it, because permissions do not show whether the file system is
// read-only. content says what will be written. otherHint is the part of the hints that says how to
// choose another file.
func CheckFolder(dir, content, otherHint string) error {
	if !isDir(dir) {
		if _, err := os.Stat(dir); err == nil {
			return exit.Errorf(exit.NotFound, "the folder \"%s\" for the %s is a file", dir, content).WithHint("%s", otherHint)
		}
		return exit.Errorf(exit.NotFound, "the folder \"%s\" for the %s does not exist", dir, content).WithHint("create the folder, or %s", otherHint)
	}
	probe, err := CreateTemp(dir)
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	var failed *fs.PathError
	if errors.As(err, &failed) && !errors.Is(err, syscall.ENOSPC) {
		return exit.Errorf(exit.Unexpected, "no file can be created in the folder \"%s\" for the %s: %w", dir, content, failed.Err).
			WithHint("make the folder writable, or %s", otherHint)
	}
	return err
}

// CopyFile writes the content of a file to dst.
func CopyFile(dst io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(dst, file)
	return err
}

// SameFile reports whether two paths refer to the same regular file.
func SameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
}

// SamePath reports whether a and b refer to the same file, which need not exist.
func SamePath(a, b string) bool {
	if SameFile(a, b) {
		return true
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}

// isDir reports whether path is an existing folder.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// RemoveIfExists removes a file if it exists. A path whose name is too long for a file counts as one that
// does not exist.
func RemoveIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENAMETOOLONG) {
		return err
	}
	return nil
}
