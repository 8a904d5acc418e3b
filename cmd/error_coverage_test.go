package cmd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/api"
)

// errorsFile has every error as the user sees it; see TestErrors of the package e2e.
const errorsFile = "../testdata/errors.txt"

// provokedElsewhere has the messages that cannot be in errorsFile, each with the reason.
var provokedElsewhere = map[string]string{
	"another backup is being written to %s":                                                                  "TestBackupIsLocked: a test holds the lock",
	"wait until the other backup ends, or write to another file":                                             "TestBackupIsLocked",
	"the temporary file %s already exists":                                                                   "a file system without locks; see TestCreateWithoutLocks of package filelock",
	"if no other backup is running, this file is left from a backup that was killed; delete it with `rm %s`": "the same",
	"cannot create the temporary file %s: something other than a regular file has this name":                 "TestBackupIsLocked",
	"remove or rename whatever has this name, or write the backup to another file":                           "TestBackupIsLocked",
	"nothing was restored: %w":                                                                               "TestRestoreToFullDisk: needs a small disk",
	"free some space, or restore to another disk with --data-dir, --database or --storage":                   "TestRestoreToFullDisk",
	"dataset %[1]s is still PENDING and counts towards the quota: delete it with `foretell datasets delete %[1]s`, or upload the file to it later with `%[2]s`": "TestQuotaOfUpload: needs an account with a quota",
	"cancelled: not confirmed":                                                                 "TestTerminal: a question needs a terminal",
	"nothing was changed; --yes skips the prompt":                                              "TestTerminal",
	"correct the file as described above":                                                      "TestTerminal: a report on a terminal",
	"the passwords do not match":                                                               "TestTerminal",
	"run the command again and type the answer":                                                "TestTerminal",
	"a model file is binary and cannot be printed on a terminal":                               "TestTerminal",
	"write the model to a file with -o FILE, or pipe the output":                               "TestTerminal",
	"a backup cannot be printed on a terminal":                                                 "TestTerminal",
	"pipe in another token, or log in with the password: `foretell login %s --username EMAIL`": "errorsFile has it with the flag --storage of the command",
	"add the code that the authenticator app shows: --code DIGITS":                             "the script of the second factor",
	"write the backup to a file with `foretell backup FILE`, or pipe the output":               "TestTerminal",
	"try again": "TestTerminal",
	"the command was interrupted before it finished":                          "TestTerminal: a signal",
	"run the command again":                                                   "TestTerminal",
	"interrupted while uploading: the dataset is still PENDING":               "TestInterruptedUpload",
	"interrupted: the race was stopped":                                       "TestInterrupt",
	"predict with it: `%s`":                                                   "TestInterrupt",
	"stop it with `foretell training cancel %s`":                              "a race that does not end within seconds of its cancellation",
	"the time limit of %s ended before any algorithm produced a model":        "TestDeadlineBeforeRace: how long that takes is the machine's",
	"the time limit of %s ended while the race was queued behind other races": "TestDeadlineBeforeRace",
	"list the races with `foretell training list`, cancel one with `foretell training cancel`, or use a longer --time-limit": "the same",
	"the backup was restored, but the service cannot be opened: %w":                                                          "a database that fails just after the restore",
	"do not restore it again; see the cause with `foretell doctor`, then start the service":                                  "the same",
	"use a longer time limit, such as --time-limit %s":                                                                       "TestDeadlineBeforeRace",
	"%d of %s damaged; %s (%s%s)":             "a finding of doctor",
	"restore these files in %s from a backup": "a finding of doctor",
	"nothing was changed; pass the location of these files with --storage or %s; if they were moved, delete the file folder.id of the new location":                                          "a database whose files are in an S3 store: see the scripts",
	"nothing was changed; mount the disk of %[1]s, restore %[1]s from a backup, or correct or omit --storage or %[2]s; to start without these files, use `foretell serve --accept-database`": "a storage without the files: see the scripts",
	"create the bucket, or select another one with --storage or %s":                         "a bucket needs an S3 store",
	"the folder of the stored files does not exist: %w":                                     "TestDoctorOfMissingStorage",
	"mount its disk, or select another storage with --storage or %s":                        "TestDoctorOfMissingStorage",
	"select another storage with --storage or %s":                                           "an S3 store that answers nonsense",
	"start another with `%s`":                                                               "a race that is stopped before its first score",
	"race %s was started with other data than the file %s: the SHA-256 differs":             "there is no race to resume on the stage",
	"use the file that the race was started on, or start a new race on this file with `%s`": "the same",
	"interrupted while planning: nothing was kept":                                          "TestInterruptedPlan",
	"continue with `%s`, or only watch the race with `%s`":                                  "TestInterrupt",
	"when the service responds again, continue with `%s`":                                   "TestLeftWaitNamesTheNextCommand, and TestServiceRestart",
	"the prediction may have been created: if `foretell predictions list` shows it, continue with `%s`, where KEY is the key of the prediction; otherwise %s":      "TestErrorAfterRace",
	"the race may have started: if `foretell training list` shows the race, continue with `%s`, where KEY is the key of the race; otherwise run the command again": "TestErrorAfterRace",
	"%s; the model is kept; to predict with it, use `%s`":                                                           "a prediction that fails after a race",
	"the incomplete file was removed; %s, then run `%s`":                                                            "TestFullDisk",
	"the file %s was not replaced; the predictions of this model are in %s; %s":                                     "the script of requirements: a race on the stage has other keys each time",
	"the model has more than 4 GiB":                                                                                 "a model of this size",
	"save it to a file, and pass the path of the file":                                                              "the same",
	"dataset %s was not prepared: %s":                                                                               "an internal error of a service",
	"the file is not the cause: report the failure to the operator of the service, with the key of the dataset, %s": "an internal error of a service",
	"the file is not the cause: to see the cause, set %s=1 and repeat the command; if the machine has enough memory, report the output as a bug; to remove the failed dataset, use `foretell datasets delete %s`": "an internal error of a service",
	"%s was written, but not its receipt: %w": "TestInstallReceipt of package download",
	"the predictions are complete and verified; to get a receipt, remedy the cause, and download the predictions again with --force": "the same",
	"no file can be created in the folder \"%s\" for the %s: %w":                                                                     "TestReadOnlyFolder",
	"make the folder writable, or %s":                                                                                                              "TestReadOnlyFolder",
	"cannot use the data folder %s: its disk is full, %s free: %w":                                                                                 "TestFullDataFolder",
	"the disk of the temporary folder %s is full: %s free":                                                                                         "TestReplayOnFullDisk",
	"free space there, or set TMPDIR to a folder on another disk":                                                                                  "TestReplayOnFullDisk",
	"cannot use the data folder %s: this process is only allowed to write files of at most %s: %w":                                                 "TestFileSizeLimit",
	"nothing was restored: this process is only allowed to write files of at most %s: %w":                                                          "TestFileSizeLimit",
	"raise the limit with `ulimit -f unlimited`":                                                                                                   "the same",
	"the file exceeds the limit on the size of files: raise the limit of this process with `ulimit -f unlimited`, or write to another file system": "the same",
	"free a few MB on that disk, then `foretell prune` can delete old models; or move the folder to another disk and use it with --data-dir":       "the same",
	"%s: the file has changed since it was checked":                                                                                                "TestFileChangesDuringRun",
	"the model is kept; when the blind file no longer changes, predict it with `%s`":                                                               "TestFileChangesDuringRun",
	"another process created the output %s while this command was running":                                                                         "TestOutputAppearsDuringRun",
	"that file was not replaced; this command has written the file %s instead":                                                                     "TestOutputAppearsDuringRun",
	"--%s %s differs from the value of race %s: %s":                                                                                                "the script resume",
	"%s by the predictions %s": "the script score",
	"omit the flag and run `%s`, or start a new race without --resume":                                              "the script resume",
	"run the command again when the file no longer changes":                                                         "TestFileChangesDuringRun: the same error, of another command",
	"%s does not match %s: %w":                                                                                      "a receipt needs a race: see the scripts",
	"the predictions differ from the predictions of %s: %w":                                                         "the same",
	"to see which rows and columns differ, put the result into the folder of its receipt and run the command again": "the same",
	"compare the versions of the program: the receipt is from the build %q, and this is the build %q":               "the same",
	"%s is not the blind file of %s":                                                                                "the same",
	"set --blind to the unchanged file from which the predictions were made, %s":                                    "the same",
	"fix the file; `foretell check FILE` lists each defect":                                                         "a defect that nobody tied to its file",
	"%s: permission denied": "an administrator may read everything",
	"make the file readable, or use no config file: `export FORETELL_CONFIG_DIR=$(mktemp -d)`": "the same",
	"change the permissions of the file, or use another file":                                  "the same",

	"the model is kept; only `foretell models promote %[1]s` can make it the champion of its series; see `foretell models report %[1]s`": "a gate that fails needs a race: see the scripts",
	"the series %s has no champion: all its models were rejected, because they missed --require or --beat":                               "a rejected model needs a race: see the script promote",
	"name a model, such as %s, or make it the champion with `foretell models promote %s`":                                                "a rejected model needs a race: see the script promote",
	"the model is kept; see `foretell models report %s`":                                                                                 "a gate that fails needs a race: see the scripts",
	"invalid address %s: %w":        "a finding of doctor",
	"invalid proxy address: %w":     "a finding of doctor",
	"fix HTTPS_PROXY or HTTP_PROXY": "a finding of doctor",
	"%s is not the address of a proxy, so requests are sent without a proxy":                                                                                       "a finding of doctor",
	"set it to an address such as http://proxy.example.com:3128, or unset it":                                                                                      "a finding of doctor",
	"the clocks of this machine and of the service differ by %s":                                                                                                   "a finding of doctor",
	"set the clock: tokens and signed URLs depend on it":                                                                                                           "a finding of doctor",
	"start or unlock the keyring, set the variable %s, or log in with `foretell login --storage file`":                                                             "a finding of doctor",
	"the backup was written, but files of the service are damaged or missing (%s)":                                                                                 "the script backup",
	"restore the listed files under their names from an older backup; `foretell doctor --files` checks all files":                                                  "the same",
	"first copy the database, as a precaution; then upgrade it with `foretell migrate`":                                                                            "errors.txt, with --data-dir added to the command",
	"if it is the right database, create the tables with `foretell migrate`":                                                                                       "errors.txt, with --data-dir added to the command",
	"use the version of foretell that the service runs; or upgrade the database with `foretell migrate`, but workers of earlier versions then claim no more jobs":  "the same",
	"run `foretell migrate --database URL`, where the user in URL must own the tables; then grant the rights on the new tables (see Rights in docs/operations.md)": "TestPostgresRights has the error",
	"name the primary server in the URL, or all servers with the parameter target_session_attrs=primary":                                                           "TestDatabaseErrors",
	"check the database, its user and the password with `psql %s`":                                                                                                 "TestDatabaseErrors",
	"no stored file was changed; use --data-dir with the data folder that belongs to this database, or --%s with the database that belongs to this folder":         "the same",
	"cannot start a browser for %s: %w":               "a browser is started from a terminal",
	"set BROWSER, or print the URL with --no-browser": "the same",
	"%s by model %s":                                        "the same",
	"cannot change %s: %w":                                  "an administrator may write everything",
	"cannot write the report to %s: %w":                     "a report needs a race: see the script understand",
	"choose another file with --html":                       "the same",
	"cannot listen on this machine: %w":                     "every machine has a loopback interface",
	"see the results with `foretell models report` instead": "the same",
	"export the model with --format python, or train one with fewer trees, such as --algorithm BSIX01":                                                              "a model of 2 GB, see TestModelTooLarge of package onnx",
	"try again in a minute; if the error persists, ask the service's operator whether this machine is allowed to connect to %s, where the service stores its files": "TestFileStoreHint of package exit",
	"the output was not written, because another process has created it: %w":                                                                                        "TestWriteFileAtomic of package cli",
	"replace the file with --force, or write to another file":                                                                                                       "the same",
	"restore the file in the data folder from a backup; `foretell doctor --files` checks all files":                                                                 "the script backup",
	"%s: --skip-rows ignores %s at the beginning, so the next row must be the header, but it has data (%s)":                                                         "the script formats",
	"use a smaller number with --skip-rows; the number applies to all files, so all files must have the same number of rows above the header":                       "the same",
	"exchange the points and commas of these numbers: `%s`":                                                                                                         "the script predict",
	"another process has been changing the file %s for %s":                                                                                                          "TestLockedFile",
	"end the process that has opened the lock file %s, and run the command again":                                                                                   "the same",
	"internal error: %v":         "a panic",
	"set %s=1 for a stack trace": "a panic",
	"try again; if the error persists, report it with the output of FORETELL_DEBUG=1":                        "what nobody foresaw",
	"the server responds; correct the parameters of the URL, such as sslmode, and check them with `psql %s`": "TestDatabaseErrors",
	"%s; then continue with `%s`": "TestSessionEndsDuringRun",
}

// TestEveryErrorIsProvoked checks that each message and hint in the source is in
// errorsFile or in provokedElsewhere.
func TestEveryErrorIsProvoked(t *testing.T) {
	golden, err := os.ReadFile(errorsFile)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(golden), `\"`, `"`)
	excused := map[string]bool{}
	for format := range provokedElsewhere {
		excused[format] = false
	}
	for _, message := range messages(t) {
		if _, known := excused[message.format]; known {
			excused[message.format] = true
			continue
		}
		if !message.pattern.MatchString(text) {
			t.Errorf("%s: %q is in no error of %s", message.at, message.format, errorsFile)
		}
	}
	for format, used := range excused {
		if !used {
			t.Errorf("%q is excused, but no such message is left", format)
		}
	}
	for _, code := range api.Codes() {
		if !strings.Contains(text, `"code":"`+string(code)+`"`) {
			t.Errorf("the service's code %s is in no error of %s", code, errorsFile)
		}
	}
}

// message is the format string of an error or a hint in the source.
type message struct {
	format  string
	pattern *regexp.Regexp
	at      token.Position
}

// verbs matches the verbs of a format.
var verbs = regexp.MustCompile(`%(\[\d\])?[-+# 0-9.]*[a-zA-Z]`)

// messages returns those format strings of errors for users that contain words.
func messages(t *testing.T) []message {
	t.Helper()
	var found []message
	set := token.NewFileSet()
	for _, name := range sourcesWithErrors(t) {
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal := messageOf(n)
			if literal == nil {
				return true
			}
			format, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, part := range verbs.Split(format, -1) {
				parts = append(parts, regexp.QuoteMeta(part))
			}
			if strings.Trim(verbs.ReplaceAllString(format, ""), " :.`") != "" {
				found = append(found, message{format, regexp.MustCompile(strings.Join(parts, ".*")), set.Position(n.Pos())})
			}
			return true
		})
	}
	return found
}

// sourcesWithErrors returns the source files of the package exit and of all packages that
// import it.
func sourcesWithErrors(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.go", "*/*.go", "../internal/*/*.go", "../internal/*/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		if strings.HasSuffix(name, "_test.go") {
			return true
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(filepath.Dir(name)) != "exit" && !strings.Contains(string(text), `"foretell/internal/exit"`)
	})
}

// messageOf returns the text of the error or hint that n creates.
func messageOf(n ast.Node) *ast.BasicLit {
	var text ast.Expr
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if name, ok := n.Key.(*ast.Ident); ok && (name.Name == "Fact" || name.Name == "Hint") {
			text = n.Value
		}
	case *ast.CallExpr:
		text = formatOf(n)
	}
	literal, ok := text.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return nil
	}
	return literal
}

// formatOf returns the format of a call that creates an error or a hint, or nil.
func formatOf(call *ast.CallExpr) ast.Expr {
	pkg, name := "exit", ""
	switch called := call.Fun.(type) {
	case *ast.Ident:
		name = called.Name // within the package exit
	case *ast.SelectorExpr:
		name = called.Sel.Name
		if of, ok := called.X.(*ast.Ident); ok {
			pkg = of.Name
		}
	}
	at, ok := map[string]int{"Usagef": 0, "WithHint": 0, "Errorf": 1}[name]
	if !ok || name == "Errorf" && pkg != "exit" || len(call.Args) <= at {
		return nil
	}
	return call.Args[at]
}
