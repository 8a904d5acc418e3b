package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/exit"
)

func newConfigCmd(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Read and change settings",
		Long: `Settings are stored in a profile of the config file. Environment variables override
the file, and flags override both. ` + "`foretell config list --origin`" + ` shows where each
value comes from. Secrets are not stored in the file; ` + "`foretell login`" + ` stores them.

KEY is one of the settings that ` + "`foretell help environment`" + ` lists, or one of these:

  profile           name of the profile that commands use by default
  paths.OPERATION   URL path of an API operation, for a service with other paths`,
	}
	cmd.AddCommand(
		newConfigGetCmd(f), newConfigSetCmd(f), newConfigUnsetCmd(f), newConfigListCmd(f), newConfigPathCmd(f),
	)
	return cmd
}

// configOptions are the options of all config commands.
type configOptions struct {
	factory *cli.Factory
	cmd     *cobra.Command
	output  cli.Output
}

func (o *configOptions) bind(cmd *cobra.Command, f *cli.Factory) *cobra.Command {
	o.factory, o.cmd = f, cmd
	cmd.Flags().String(config.KeyProfile, "", "profile of the config file")
	_ = cmd.RegisterFlagCompletionFunc(config.KeyProfile, cli.CompleteProfiles(f)) // fails only if the flag is not defined
	return cmd
}

func newConfigGetCmd(f *cli.Factory) *cobra.Command {
	opts := &configOptions{}
	cmd := opts.bind(&cobra.Command{
		Use: "get KEY", Short: "Print the value of a setting", Args: cli.PositionalArgs("KEY"),
		RunE:              func(_ *cobra.Command, args []string) error { return opts.get(args[0]) },
		ValidArgsFunction: completeSettingArgs,
	}, f)
	opts.output.BindItem(cmd, f, cli.ResultType[config.Setting]())
	return cmd
}

func (o *configOptions) get(key string) error {
	s, err := config.Load(o.factory.Env, o.cmd.Flags())
	if err != nil {
		return err
	}
	if err := config.CheckKey(key); err != nil {
		return err
	}
	documents, err := config.ListSettings(o.factory.Env, s)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(documents, func(d config.Setting) bool { return d.Key == key })
	if i < 0 || documents[i].Value == "" {
		return exit.Errorf(exit.NotFound, "%s is not set", key).WithHint("set it with `foretell config set %s VALUE`", key)
	}
	if o.output.JSON || len(o.output.Fields) > 0 {
		return cli.PrintItem(&o.output, documents[i], "value")
	}
	return o.output.PrintLine(documents[i].Value)
}

func newConfigSetCmd(f *cli.Factory) *cobra.Command {
	opts := &configOptions{}
	cmd := opts.bind(&cobra.Command{
		Use: "set KEY VALUE", Short: "Set a value in the config file", Args: cli.PositionalArgs("KEY", "VALUE"),
		RunE:              func(_ *cobra.Command, args []string) error { return opts.set(args[0], args[1]) },
		ValidArgsFunction: completeSettingArgs,
	}, f)
	opts.output.BindItem(cmd, f, cli.ResultType[config.Setting]())
	return cmd
}

// loadToChange returns the settings, to change the setting with the given key. The current profile
// does not matter if the key is KeyProfile, and may then be invalid.
func (o *configOptions) loadToChange(key string) (*config.Settings, error) {
	if key == config.KeyProfile {
		return &config.Settings{}, nil
	}
	return config.Load(o.factory.Env, o.cmd.Flags())
}

func (o *configOptions) set(key, value string) error {
	s, err := o.loadToChange(key)
	if err != nil {
		return err
	}
	if err := config.CheckSetting(key, value); err != nil {
		return err
	}
	if key == config.KeyDataDir {
		if value, err = config.AbsDir(o.factory.Env, value, ""); err != nil {
			return err
		}
	}
	if err := config.WriteOrRemoveValue(o.factory.Env, value, config.YAMLPath(s, key)...); err != nil {
		return err
	}
	path, err := config.FilePath(o.factory.Env)
	if err != nil {
		return err
	}
	if v, ok := config.FindSetting(key); ok && o.factory.Env(v.Name) != "" {
		o.output.Note("the environment variable %s is set and overrides this setting", v.Name)
	}
	return cli.PrintItem(&o.output, config.Setting{Key: key, Value: value, Origin: "file " + path}, "key", "value", "origin")
}

func newConfigUnsetCmd(f *cli.Factory) *cobra.Command {
	opts := &configOptions{}
	cmd := opts.bind(&cobra.Command{
		Use: "unset KEY", Short: "Remove a setting from the config file", Args: cli.PositionalArgs("KEY"),
		RunE:              func(_ *cobra.Command, args []string) error { return opts.unset(args[0]) },
		ValidArgsFunction: completeSettingArgs,
	}, f)
	opts.output.BindItem(cmd, f, cli.ResultType[unsetDocument]())
	return cmd
}

func (o *configOptions) unset(key string) error {
	s, err := o.loadToChange(key)
	if err != nil {
		return err
	}
	if err := config.CheckKey(key); err != nil {
		return err
	}
	file, err := config.ReadFile(o.factory.Env)
	if err != nil {
		return err
	}
	keys := config.YAMLPath(s, key)
	if file.IsSet(strings.Join(keys, config.KeyDelimiter)) {
		if err := config.WriteOrRemoveValue(o.factory.Env, "", keys...); err != nil {
			return err
		}
	}
	return cli.PrintItem(&o.output, unsetDocument{Key: key}, "key")
}

type configListOptions struct {
	configOptions
	origin bool
}

func newConfigListCmd(f *cli.Factory) *cobra.Command {
	opts := &configListOptions{}
	cmd := opts.bind(&cobra.Command{
		Use: "list", Short: "List all settings and their values", Args: cli.NoArgs,
		Long: `Lists the settings that a command with the same flags would use.`,
		RunE: func(*cobra.Command, []string) error { return opts.run() },
	}, f)
	for _, v := range config.EnvVars {
		if v.Key != "" {
			if v.BareValue == "" {
				cmd.Flags().String(v.Key, "", "list the settings that a command with this flag would use")
			} else {
				cmd.Flags().Var(new(connect.TraceFlag), v.Key, "list the settings that a command with this flag would use")
				cmd.Flags().Lookup(v.Key).NoOptDefVal = v.BareValue
			}
			cli.SetFlagCompletions(cmd, v.Key, v.Values...)
		}
	}
	cmd.Flags().BoolVar(&opts.origin, "origin", false, "show the file, variable or flag that each value comes from")
	opts.output.BindList(cmd, f, cli.ResultType[config.Setting]())
	return cmd
}

func (o *configListOptions) run() error {
	s, err := config.Load(o.factory.Env, o.cmd.Flags())
	if err != nil {
		return err
	}
	documents, err := config.ListSettings(o.factory.Env, s)
	if err != nil {
		return err
	}
	columns := []string{"key", "value"}
	if o.origin {
		columns = append(columns, "origin")
	}
	return cli.PrintList(&o.output, documents, columns...)
}

func newConfigPathCmd(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use: "path", Short: "Print the path of the config file", Args: cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			path, err := config.FilePath(f.Env)
			if err != nil {
				return err
			}
			o := cli.Output{Factory: f}
			return o.PrintLine(path)
		},
	}
}

// unsetDocument is the output of config unset.
type unsetDocument struct {
	Key string `json:"key"`
}

// completeSettingArgs completes a key, and then its value if the valid values are known.
func completeSettingArgs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		keys := config.SettingKeys()
		for _, id := range config.OperationIDs() {
			keys = append(keys, config.KeyPaths+"."+id)
		}
		return keys, cobra.ShellCompDirectiveNoFileComp
	case 1:
		if v, ok := config.FindSetting(args[0]); ok && cmd.Name() == "set" {
			return v.Values, cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
