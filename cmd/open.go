package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

type openOptions struct {
	host      *factory
	service   serviceFlags
	noBrowser bool
}

func newOpenCmd(f *factory) *cobra.Command {
	opts := &openOptions{host: f, service: serviceFlags{idle: true}}
	cmd := &cobra.Command{
		Use: "open [REF]", Short: "Open the dashboard in a browser",
		Long: `Opens the dashboard of the service, or the page of a dataset, training, model or
prediction. REF is a key, at least 6 characters of it, the name of a dataset, or
for a model NAME@champion or NAME@v3. Without a terminal, or with
--no-browser, the page's URL is printed instead.

The embedded service has no dashboard, and not every service has one.`,
		Args: positionalArgs("[REF]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.bind(cmd, f)
	cmd.Flags().BoolVar(&opts.noBrowser, "no-browser", false, "print the URL instead of opening it")
	cmd.ValidArgsFunction = opts.service.completeReference(datasetNames)
	return cmd
}

func (o *openOptions) run(ctx context.Context, args []string) error {
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	if session.embedded {
		return noPagesError(usageErrorf("the embedded service has no dashboard"), args)
	}
	address := session.BaseURL() + "/"
	if len(args) > 0 {
		page, err := findPage(ctx, session, args[0])
		if err != nil {
			return err
		}
		address += page
	}
	if !hasPages(ctx, session) {
		return noPagesError(exitErrorf(ExitNotFound, "the service at %s has no dashboard", session.BaseURL()), args)
	}
	if o.noBrowser || !o.host.console.OutTerminal {
		_, err := fmt.Fprintln(o.host.console.Out, address)
		return err
	}
	o.host.note("opening %s", address)
	if err := o.browse(ctx, address); err != nil {
		return exitErrorf(ExitUnexpected, "cannot start a browser for %s: %w", address, err).
			withHint("set BROWSER, or print the URL with --no-browser")
	}
	return nil
}

// hasPages requests the front page. A service without a dashboard responds as its API
// does; anything else is a page.
func hasPages(ctx context.Context, session *session) bool {
	page, err := session.Do(ctx, client.RawRequest{Method: http.MethodGet, Path: "/"})
	if err != nil {
		return api.CodeOf(err) != api.CodeNoRoute
	}
	_ = page.Body.Close() // only what it is counts
	return !strings.Contains(page.Header.Get("Content-Type"), "json")
}

// noPagesError adds the alternatives to the error.
func noPagesError(e *cliError, args []string) error {
	if len(args) == 0 {
		return e.withHint("see `foretell datasets list`, or open a service that has a dashboard with --server URL")
	}
	return e.withHint("see `foretell datasets get %[1]s` or `foretell models report %[1]s`, or open a service that has a dashboard with --server URL", shellQuote(args[0]))
}

// findPage returns the path of the page of the object that ref means.
func findPage(ctx context.Context, session *session, ref string) (string, error) {
	kinds := []struct {
		path string
		noun resource
	}{
		{"datasets", datasetResource}, {"training", trainingResource}, {"models", modelResource}, {"predictions", predictionResource},
	}
	if strings.Contains(ref, "@") && ref != last {
		kinds = kinds[2:3] // NAME@champion, NAME@v3
	}
	var missing *cliError
	for _, kind := range kinds {
		key, err := kind.noun.find(session, ctx, ref)
		if err == nil {
			return kind.path + "/" + key, nil
		}
		if e := asCLIError(ctx, err); e.exit != ExitNotFound {
			return "", err
		}
		errors.As(err, &missing)
	}
	if missing == nil || len(kinds) > 1 {
		return "", exitErrorf(ExitNotFound, "no dataset, training, model or prediction %q found", ref).withHint("see `foretell datasets list`")
	}
	return "", missing
}

// browse starts a browser without waiting for it.
func (o *openOptions) browse(ctx context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	name = cmp.Or(o.host.env("BROWSER"), name)
	browser := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := browser.Start(); err != nil {
		return err
	}
	return browser.Process.Release()
}
