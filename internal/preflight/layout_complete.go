package preflight

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/connect"
)

// completeColumns completes the column names of the first file in the arguments.
func (l *LayoutFlags) completeColumns(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), connect.CompletionTimeout)
	defer cancel()
	for _, path := range args {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		in, err := l.OpenInput(ctx, nil, false, path)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer in.Close()
		names, _ := in.readHeader(ctx) // names is nil if the file cannot be read
		names = slices.DeleteFunc(names, func(name string) bool { return strings.ContainsAny(name, "\t\r\n") })
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
