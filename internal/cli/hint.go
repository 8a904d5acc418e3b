package cli

import (
	"cmp"
	"encoding/csv"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// repeatedFlags are the flags that hints repeat: if the user has set one of them, it is added to
// the commands that a hint suggests. These flags select the service, or are readingFlags.
var repeatedFlags = append([]string{
	"profile", config.KeyServer, "local", config.KeyDataDir, "database", "storage",
}, readingFlags...)

// readingFlags are the flags that change how a file is read.
var readingFlags = []string{"label", "id", "drop", "no-header-row", "delimiter", "encoding", "sheet", "skip-rows"}

// commandsWithBlind are the commands that accept readingFlags only with --blind.
var commandsWithBlind = []string{"report", "download", "verify"}

// CheckReadingFlags returns a usage error if one of readingFlags is set. A command calls it if it
// reads no file. missing is the argument or flag that would name the file.
func (f *Factory) CheckReadingFlags(missing string) error {
	return f.CheckFlagsWithout(missing, readingFlags...)
}

// CheckFlagsWithout returns a usage error if one of flags is set. A command calls it if these flags
// have no effect, because missing is not set: the argument or flag that they need.
func (f *Factory) CheckFlagsWithout(missing string, flags ...string) error {
	for _, flag := range flags {
		if f.Running.Flags().Changed(flag) {
			return exit.Usagef("--%s has no effect without %s", flag, missing).WithHint("add %s, or omit --%s", missing, flag)
		}
	}
	return nil
}

// AddHint completes the hint of e for the current command. If e has no hint, it adds one. It
// changes these hints of the service:
//
//   - If the token is from the environment, a hint to log in becomes one to set another token.
//   - If the email of a new account is taken, the hint becomes one to list the accounts.
//   - If the command uses a PostgreSQL database, a hint to `foretell status`, which has no flag
//     --database, becomes one to `foretell doctor`.
//   - If the service is in this process, a hint to ask its operator becomes one to report the error.
//
// In a message about a proxy, it writes the names of the variables as they are set, in upper or
// lower case. AddHint also calls [Factory.RepeatFlagsInCommands].
func (f *Factory) AddHint(e *exit.Error) {
	if e.Code == string(api.CodeUnauthorized) && f.Env(config.EnvToken) != "" {
		e.Hint = "set " + config.EnvToken + " to a new token, or unset it and log in with `foretell login`" + strings.TrimPrefix(e.Hint, exit.SignInHint)
	}
	if e.Code == string(api.CodeNameTaken) && f.Running != nil && strings.HasPrefix(f.Running.CommandPath(), "foretell users ") {
		e.Hint = "list the accounts with `foretell users list`" // the name is an email, not the name of a dataset
	}
	if f.Running != nil && f.SelectsDatabase(f.Running) {
		e.Hint = strings.Replace(e.Hint, exit.ServiceHint, "`foretell doctor` checks the connection to the database", 1)
	}
	if f.Embedded && e.Code == string(api.CodeInternal) { // there is no operator
		if before, _, found := strings.Cut(e.Hint, "report the "); found {
			e.Hint = before + "report it with the output of " + config.EnvDebug + "=1"
		}
	}
	if e.Code == string(client.ProxyFailed) {
		e.Fact = f.lowerProxyEnvVars(e.Fact)
	}
	if f.Running != nil {
		e.Fact = nameEnvVar(f.Running, e.Fact)
		e.Hint = cmp.Or(e.Hint, f.suggestList(e.Status))
	}
	e.Hint = f.RepeatFlagsInCommands(e.Hint)
	if e.Code == string(api.CodeStorageFull) || e.Code == string(api.CodeWrongState) { // the message, not the hint, has the command that helps
		e.Fact = f.RepeatFlagsInCommands(e.Fact)
	}
	if e.Code == string(api.CodeStorageFull) && f.Embedded { // the full disk is on this machine, not on a server
		e.Status = exit.Unexpected
	}
}

// SelectsDatabase reports whether a command uses a PostgreSQL database, because of --database or
// FORETELL_DATABASE. The variable has no effect if --server or --profile is set.
func (f *Factory) SelectsDatabase(cmd *cobra.Command) bool {
	flags := cmd.Flags()
	switch flag := flags.Lookup("database"); {
	case flag == nil:
		return false
	case flag.Changed:
		return flag.Value.String() != ""
	}
	return f.Env(config.EnvDatabase) != "" && !flags.Changed(config.KeyServer) && !flags.Changed("profile")
}

// lowerProxyEnvVars replaces the name of a proxy variable in text, such as HTTPS_PROXY, by the name
// in lower case if only that variable is set.
func (f *Factory) lowerProxyEnvVars(text string) string {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"} {
		if lower := strings.ToLower(name); f.Env(name) == "" && f.Env(lower) != "" {
			text = strings.ReplaceAll(text, name, lower)
		}
	}
	return text
}

// suggestList returns the hint for an error that has no hint yet. If no object was found, the hint
// is the command that lists the objects, such as datasets. For a conflict, it is the command that
// shows the object. Otherwise, it is the current command with --help.
func (f *Factory) suggestList(status exit.Status) string {
	group := f.Running.Parent()
	if group != nil && group.HasParent() {
		noun := group.CommandPath()
		switch takes := strings.Fields(f.Running.Use); { // `predictions create MODEL` is in the group predictions, but its argument is a model
		case slices.Contains(takes, "DATASET"):
			noun = "foretell datasets"
		case slices.Contains(takes, "MODEL"):
			noun = "foretell models"
		}
		switch args := f.Running.Flags().Args(); {
		case status == exit.NotFound:
			return "see `" + noun + " list`"
		case noun == "foretell users": // there is no `users get`
		case status == exit.Conflict && len(args) > 0:
			return "see `" + noun + " get " + term.ShellQuote(args[0]) + "`"
		}
	}
	return "see `" + f.Running.CommandPath() + " --help`"
}

// RepeatFlagsInCommands adds flags to each foretell command between backquotes in text, and returns
// the result. It adds those repeatedFlags that are on the current command line and that the command
// in text accepts.
func (f *Factory) RepeatFlagsInCommands(text string) string {
	if f.Running == nil {
		return text
	}
	var result strings.Builder
	for {
		before, command, found := strings.Cut(text, "`foretell ")
		end := term.IndexUnquoted(command, "`")
		if !found || end < 0 {
			return result.String() + text
		}
		result.WriteString(before + "`" + f.repeatFlagsInList("foretell "+command[:end]) + "`")
		text = command[end+1:]
	}
}

// repeatFlagsInList returns commands, which are separated by " && ", with the repeatedFlags of the
// current command line added to each.
func (f *Factory) repeatFlagsInList(commands string) string {
	const separator = " && "
	if i := term.IndexUnquoted(commands, separator); i >= 0 {
		return f.repeatFlagsInList(commands[:i]) + separator + f.repeatFlagsInList(commands[i+len(separator):])
	}
	return f.repeatFlags(commandSubstitution.ReplaceAllStringFunc(commands, func(inner string) string {
		return "$(" + f.repeatFlags(inner[len("$("):len(inner)-1]) + ")"
	}))
}

// commandSubstitution matches $(foretell …) in a command line.
var commandSubstitution = regexp.MustCompile(`\$\(foretell [^)]+\)`)

// repeatFlags returns line, a command line, with the repeatedFlags of the current command line
// added. It adds only flags that the command in line accepts.
func (f *Factory) repeatFlags(line string) string {
	if slices.Contains(f.finalCommands, line) {
		return line
	}
	next, rest, err := f.Running.Root().Find(strings.Fields(line)[1:])
	if err != nil || strings.Contains(line, " --help") {
		return line
	}
	outer := commandSubstitution.ReplaceAllString(line, "") // the flags of inner commands do not count
	added := ""
	for _, name := range repeatedFlags {
		given := f.Running.Flags().Lookup(name)
		switch {
		case strings.Contains(outer, " --"+name+" ") || strings.Contains(outer, " --"+name+"=") || strings.HasSuffix(outer, " --"+name):
		case given == nil || !given.Changed, next.Flags().Lookup(name) == nil:
		case name == "storage" && isFileStorageFlag(given) != isFileStorageFlag(next.Flags().Lookup(name)): // the flag --storage of login selects where the token is stored
		case name == config.KeyServer && next.Name() == "login" && len(rest) > 0: // the argument of login is the URL
		case slices.Contains(commandsWithBlind, next.Name()) && slices.Contains(readingFlags, name) && !strings.Contains(outer, " --blind "): // it reads no file
		case next.Name() == "predict" && strings.Contains(outer, " --model ") && !slices.Contains(readingFlags, name): // it uses no service
		case next.Name() == "score" && (name == "delimiter" || name == "encoding"): // results are always CSV in UTF-8
		case given.Value.Type() == "bool":
			if added += " --" + name; given.Value.String() != "true" {
				added += "=" + given.Value.String()
			}
		default:
			added += " --" + name + " " + term.ShellQuote(flagValue(given))
		}
	}
	if end := term.IndexUnquoted(line, " -- "); end >= 0 { // the arguments after it are not flags
		return line[:end] + added + line[end:]
	}
	return line + added
}

// isFileStorageFlag reports whether a flag with the name storage selects the stored files of a
// service. Another flag of this name selects where credentials are stored.
func isFileStorageFlag(flag *pflag.Flag) bool {
	_, ok := flag.Annotations[config.NotASetting]
	return ok
}

// flagValue returns the value of a flag as it is typed on the command line. A password in a URL is
// replaced by PASSWORD.
func flagValue(flag *pflag.Flag) string {
	if flag.Name == "database" || flag.Name == "storage" {
		return hidePassword(flag.Value.String())
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return ListFlagValue(list.GetSlice())
	}
	return flag.Value.String()
}

// hidePassword returns a URL with its passwords replaced by PASSWORD. If location is malformed, any
// part of it may be a password, and hidePassword returns only the text URL.
func hidePassword(location string) string {
	const placeholder = "PASSWORD"
	u, err := url.Parse(location)
	if err != nil {
		return "URL"
	}
	changed := false
	if _, ok := u.User.Password(); ok {
		u.User = url.UserPassword(u.User.Username(), placeholder)
		changed = true
	}
	query := u.Query()
	for _, name := range []string{"password", "sslpassword"} {
		if query.Has(name) {
			query.Set(name, placeholder)
			u.RawQuery = query.Encode()
			changed = true
		}
	}
	if !changed {
		return location
	}
	return u.String()
}

// ListFlagValue returns names as the value of a flag that is a list. pflag reads such a value as a
// CSV record, so a name that contains a comma is quoted.
func ListFlagValue(names []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(names) // a strings.Builder returns no errors
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// CommandWith returns the current command line with a flag set to value, or without the flag if
// value is "". A repeatable flag keeps its other values. The flags in omitted, which must take a
// value, are removed, too.
func (f *Factory) CommandWith(flag, value string, omitted ...string) string {
	args := f.Args
	for _, other := range omitted {
		args = setFlag(args, other, "", false)
	}
	kind := ""
	if given := f.Running.Flags().Lookup(flag); given != nil {
		kind = given.Value.Type()
	}
	switch {
	case value == "":
		return term.CommandLine(setFlag(args, flag, "", false))
	case kind == "bool":
		args = setFlag(args, flag, "", false)
		if end := slices.Index(args, "--"); end >= 0 { // the arguments after it are not flags
			return term.CommandLine(slices.Insert(args, end, "--"+flag))
		}
		return term.CommandLine(append(args, "--"+flag))
	case kind == "stringSlice":
		value = ListFlagValue([]string{value})
	}
	return term.CommandLine(setFlag(args, flag, value, f.isRepeatable(flag)))
}

// ForceInCommands adds --force to the commands that methods such as [Factory.CommandWith] return,
// until restore is called.
func (f *Factory) ForceInCommands() (restore func()) {
	args := f.Args
	if !f.Running.Flags().Changed("force") {
		end := slices.Index(args, "--")
		if end < 0 {
			end = len(args)
		}
		f.Args = slices.Insert(slices.Clone(args), end, "--force")
	}
	return func() { f.Args = args }
}

// CommandWithList returns the current command line with values added to flag, whose value is a
// list.
func (f *Factory) CommandWithList(flag string, values []string) string {
	return term.CommandLine(setFlag(f.Args, flag, ListFlagValue(values), true))
}

// CommandWithOnlyList is like [Factory.CommandWithList], but replaces the earlier values of the
// flag.
func (f *Factory) CommandWithOnlyList(flag string, values []string) string {
	return term.CommandLine(setFlag(f.Args, flag, ListFlagValue(values), false))
}

// isRepeatable reports whether a flag takes several values.
func (f *Factory) isRepeatable(flag string) bool {
	given := f.Running.Flags().Lookup(flag)
	if given == nil {
		return false
	}
	_, several := given.Value.(pflag.SliceValue)
	return several
}

// CommandWithFiles returns the current command line with other files, and without the omitted
// flags. others maps the name of a file in the command line to the name of the file that replaces
// it. If label is not "", the flag --label is set to it. [Factory.RepeatFlagsInCommands] does not
// add the omitted flags again.
func (f *Factory) CommandWithFiles(others map[string]string, label string, omitted ...string) string {
	args := replaceFiles(f.Args, others)
	for _, name := range omitted {
		given := f.Running.Flags().Lookup(name)
		if given != nil && given.Value.Type() == "bool" {
			args = slices.DeleteFunc(args, func(arg string) bool { return arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=") })
		} else {
			args = setFlag(args, name, "", false)
		}
	}
	if label != "" {
		args = setFlag(args, "label", label, false)
	}
	line := term.CommandLine(args)
	f.finalCommands = append(f.finalCommands, line)
	return line
}

// CommandWithSwappedFiles returns the current command line with two files swapped.
func (f *Factory) CommandWithSwappedFiles(one, other string) string {
	return term.CommandLine(replaceFiles(f.Args, map[string]string{one: other, other: one}))
}

// replaceFiles returns a copy of args with other files. others maps the name of a file, which may be an
// argument or the value of a flag, to the name of its replacement.
func replaceFiles(args []string, others map[string]string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch {
		case others[arg] != "":
			args[i] = others[arg]
		case strings.HasPrefix(name, "--") && others[value] != "":
			args[i] = name + "=" + others[value]
		}
	}
	return args
}

// setFlag returns args with a flag set to value, or without the flag if value is "". If addValue is
// set, it keeps the earlier values of the flag and adds value.
func setFlag(args []string, flag, value string, addValue bool) []string {
	var list []string
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	for i := 0; i < end; i++ {
		switch {
		case addValue || args[i] != "--"+flag && !strings.HasPrefix(args[i], "--"+flag+"="):
			list = append(list, args[i])
		case args[i] == "--"+flag:
			i++ // skip the value of the flag, too
		}
	}
	if value != "" {
		list = append(list, "--"+flag, value)
	}
	return append(list, args[end:]...)
}
