package cmd

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

func newConfigCmd(f *factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Read and change settings",
		Long: `Settings are stored in a profile of the config file. Environment variables override
the file, and flags override both; ` + "`config list --origin`" + ` shows where each value
comes from. Secrets are not stored there: use ` + "`foretell login`" + `.

KEY is profile, a setting listed by ` + "`foretell help environment`" + `, or
paths.OPERATION.`,
	}
	cmd.AddCommand(
		newConfigGetCmd(f), newConfigSetCmd(f), newConfigUnsetCmd(f), newConfigListCmd(f), newConfigPathCmd(f),
	)
	return cmd
}

// configOptions are the options of all config commands.
type configOptions struct {
	host   *factory
	cmd    *cobra.Command
	output output
}

func (o *configOptions) bind(cmd *cobra.Command, f *factory) *cobra.Command {
	o.host, o.cmd = f, cmd
	cmd.Flags().String(keyProfile, "", "profile of the config file")
	_ = cmd.RegisterFlagCompletionFunc(keyProfile, f.completeProfiles) // the flag is there
	return cmd
}

func newConfigGetCmd(f *factory) *cobra.Command {
	opts := &configOptions{}
	cmd := opts.bind(&cobra.Command{
		Use: "get KEY", Short: "Print the value of a setting", Args: positionalArgs("KEY"),
		RunE:              func(_ *cobra.Command, args []string) error { return opts.get(args[0]) },
		ValidArgsFunction: completeSetting,
	}, f)
	opts.output.bindItem(cmd, f, resultType[settingDocument]())
	return cmd
}

func (o *configOptions) get(key string) error {
	s, err := o.host.settings(o.cmd.Flags())
	if err != nil {
		return err
	}
	if err := checkKey(key); err != nil {
		return err
	}
	documents, err := o.host.listSettings(s)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(documents, func(d settingDocument) bool { return d.Key == key })
	if i < 0 || documents[i].Value == "" {
		return exitErrorf(ExitNotFound, "%s is not set", key).withHint("set it with `foretell config set %s VALUE`", key)
	}
	if o.output.json || len(o.output.fields) > 0 {
		return printItem(&o.output, documents[i], "value")
	}
	return o.output.printLine(documents[i].Value)
}

func newConfigSetCmd(f *factory) *cobra.Command {
	opts := &configOptions{}
	cmd := opts.bind(&cobra.Command{
		Use: "set KEY VALUE", Short: "Set a value in the config file", Args: positionalArgs("KEY", "VALUE"),
		RunE:              func(_ *cobra.Command, args []string) error { return opts.set(args[0], args[1]) },
		ValidArgsFunction: completeSetting,
	}, f)
	opts.output.bindItem(cmd, f, resultType[settingDocument]())
	return cmd
}

func (o *configOptions) set(key, value string) error {
	s, err := o.host.settings(o.cmd.Flags())
	if err != nil {
		return err
	}
	if err := checkSetting(key, value); err != nil {
		return err
	}
	if err := o.host.setConfig(value, configKeys(s, key)...); err != nil {
		return err
	}
	path, err := o.host.configFile()
	if err != nil {
		return err
	}
	if v, ok := findSetting(key); ok && o.host.env(v.name) != "" {
		o.output.note("%s is set and overrides it", v.name)
	}
	return printItem(&o.output, settingDocument{key, value, "file " + path}, "key", "value", "origin")
}

func newConfigUnsetCmd(f *factory) *cobra.Command {
	opts := &configOptions{}
	cmd := opts.bind(&cobra.Command{
		Use: "unset KEY", Short: "Remove a setting from the config file", Args: positionalArgs("KEY"),
		RunE:              func(_ *cobra.Command, args []string) error { return opts.unset(args[0]) },
		ValidArgsFunction: completeSetting,
	}, f)
	opts.output.bindItem(cmd, f, resultType[unsetDocument]())
	return cmd
}

func (o *configOptions) unset(key string) error {
	s, err := o.host.settings(o.cmd.Flags())
	if err != nil {
		return err
	}
	if err := checkKey(key); err != nil {
		return err
	}
	file, err := o.host.readConfig()
	if err != nil {
		return err
	}
	keys := configKeys(s, key)
	if file.IsSet(strings.Join(keys, keyDelimiter)) {
		if err := o.host.setConfig("", keys...); err != nil {
			return err
		}
	}
	return printItem(&o.output, unsetDocument{Key: key}, "key")
}

type configListOptions struct {
	configOptions
	origin bool
}

func newConfigListCmd(f *factory) *cobra.Command {
	opts := &configListOptions{}
	cmd := opts.bind(&cobra.Command{
		Use: "list", Short: "List all settings and their values", Args: noArgs,
		Long: `Lists the settings that a command with these flags would use.`,
		RunE: func(*cobra.Command, []string) error { return opts.run() },
	}, f)
	for _, v := range variables {
		if v.key != "" {
			if v.bareValue == "" {
				cmd.Flags().String(v.key, "", "resolve the settings as with this flag")
			} else {
				cmd.Flags().Var(new(traceFlag), v.key, "resolve the settings as with this flag")
				cmd.Flags().Lookup(v.key).NoOptDefVal = v.bareValue
			}
			completeValues(cmd, v.key, v.values...)
		}
	}
	cmd.Flags().BoolVar(&opts.origin, "origin", false, "show the file, variable or flag that each value comes from")
	opts.output.bindList(cmd, f, resultType[settingDocument]())
	return cmd
}

func (o *configListOptions) run() error {
	s, err := o.host.settings(o.cmd.Flags())
	if err != nil {
		return err
	}
	documents, err := o.host.listSettings(s)
	if err != nil {
		return err
	}
	columns := []string{"key", "value"}
	if o.origin {
		columns = append(columns, "origin")
	}
	return printList(&o.output, documents, columns...)
}

func newConfigPathCmd(f *factory) *cobra.Command {
	return &cobra.Command{
		Use: "path", Short: "Print the path of the config file", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := f.configFile()
			if err != nil {
				return err
			}
			o := output{host: f}
			return o.printLine(path)
		},
	}
}

// settingDocument is a setting in the output of config.
type settingDocument struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// unsetDocument is the output of config unset.
type unsetDocument struct {
	Key string `json:"key"`
}

// maskedValue replaces the value of a secret.
const maskedValue = "(secret)"

// listSettings returns all settings with their origins: the profile, the variables,
// overridden paths, and the names of secrets in the environment.
func (f *factory) listSettings(s *settings) ([]settingDocument, error) {
	documents := []settingDocument{{keyProfile, s.profile, s.origins[keyProfile]}}
	for _, v := range variables {
		value := ""
		switch {
		case v.secret && f.env(v.name) != "":
			documents = append(documents, settingDocument{v.name, maskedValue, "variable " + v.name})
			continue
		case v.key == "":
			continue
		case v.key == keyDataDir:
			dir, err := f.dataDir(s)
			if err != nil {
				return nil, err
			}
			value = dir
			if xdg := "XDG_DATA_HOME"; s.origins[v.key] == originBuiltin && filepath.IsAbs(f.env(xdg)) { // see folder
				s.origins[v.key] = "variable " + xdg
			}
		default:
			value = s.GetString(v.key)
		}
		documents = append(documents, settingDocument{v.key, value, s.origins[v.key]})
	}
	paths, err := s.paths(operationIDs())
	if err != nil {
		return nil, err
	}
	path, err := f.configFile()
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(paths)) {
		documents = append(documents, settingDocument{keyPaths + "." + id, paths[id], "file " + path})
	}
	return documents, nil
}

func operationIDs() []string {
	ids := make([]string, 0, len(api.Operations()))
	for _, op := range api.Operations() {
		ids = append(ids, op.ID)
	}
	return ids
}

// settingKeys returns the valid keys except the paths.
func settingKeys() []string {
	keys := []string{keyProfile}
	for _, v := range variables {
		if v.key != "" {
			keys = append(keys, v.key)
		}
	}
	return keys
}

// checkKey returns an error for an unknown key.
func checkKey(key string) error {
	if slices.Contains(settingKeys(), key) {
		return nil
	}
	if id, ok := strings.CutPrefix(key, keyPaths+"."); ok {
		if slices.Contains(operationIDs(), id) {
			return nil
		}
		return usageErrorf("unknown operation %q", id).withHint("known operations: %s", strings.Join(operationIDs(), ", "))
	}
	e := usageErrorf("unknown setting %q", key)
	if word := strings.ToLower(key); strings.Contains(word, "password") || strings.Contains(word, "token") {
		return e.withHint("secrets are not stored in the config file: sign in with `foretell login`")
	}
	return e.withHint("known settings: %s and %s.OPERATION", strings.Join(settingKeys(), ", "), keyPaths)
}

// checkSetting returns an error for an unknown key or an invalid value.
func checkSetting(key, value string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if key == keyProfile {
		return checkProfileName(value)
	}
	if id, ok := strings.CutPrefix(key, keyPaths+"."); ok {
		if _, err := client.New(client.Options{BaseURL: embeddedURL, Paths: map[string]string{id: value}}); err != nil {
			return usageErrorf("%w", err).withHint("a path starts with / and has the operation's parameters in braces; see docs/api.md")
		}
		return nil
	}
	v, _ := findSetting(key)
	return v.validate(value)
}

// configKeys returns the path of a key in the config file.
func configKeys(s *settings, key string) []string {
	if key == keyProfile {
		return []string{keyProfile}
	}
	return append([]string{"profiles", s.profile}, strings.SplitN(key, ".", 2)...)
}

// completeSetting completes the keys, then the values of keys that have a fixed set.
func completeSetting(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		keys := settingKeys()
		for _, id := range operationIDs() {
			keys = append(keys, keyPaths+"."+id)
		}
		return keys, cobra.ShellCompDirectiveNoFileComp
	case 1:
		if v, ok := findSetting(args[0]); ok && cmd.Name() == "set" {
			return v.values, cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
