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
	host      *host
	connector connector
	noBrowser bool
}

func newOpenCmd(h *host) *cobra.Command {
	opts := &openOptions{host: h, connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "open [REF]", Short: "Show the dashboard page of a thing in a browser",
		Long: `Opens the dashboard of the service, or the page of a dataset, training, model or
prediction. REF is a key, at least 6 characters of it, the name of a dataset, or
for a model NAME@champion or NAME@v3. Where there is no terminal, or with
--no-browser, the page's address is printed instead.

The embedded service has no pages, and not every service has them.`,
		Args: takes("[REF]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.connector.bind(cmd, h)
	cmd.Flags().BoolVar(&opts.noBrowser, "no-browser", false, "print the address and open nothing")
	cmd.ValidArgsFunction = opts.connector.complete(datasetNames)
	return cmd
}

func (o *openOptions) run(ctx context.Context, args []string) error {
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if conn.embedded {
		return pageless(usage("the embedded service has no pages to open"), args)
	}
	address := conn.BaseURL() + "/"
	if len(args) > 0 {
		page, err := pageOfThing(ctx, conn, args[0])
		if err != nil {
			return err
		}
		address += page
	}
	if !hasPages(ctx, conn) {
		return pageless(fail(ExitNotFound, "the service at %s has no pages to open", conn.BaseURL()), args)
	}
	if o.noBrowser || !o.host.console.OutTerminal {
		_, err := fmt.Fprintln(o.host.console.Out, address)
		return err
	}
	o.host.note("opening %s", address)
	if err := o.browse(ctx, address); err != nil {
		return fail(ExitUnexpected, "no browser could be started for %s: %w", address, err).
			advise("name one in BROWSER, or print the address with --no-browser")
	}
	return nil
}

// hasPages asks for the front page. A service without a dashboard answers there
// as its API does; whatever else comes is for the browser to show.
func hasPages(ctx context.Context, conn *connection) bool {
	page, err := conn.Do(ctx, client.Raw{Method: http.MethodGet, Path: "/"})
	if err != nil {
		return api.CodeOf(err) != api.CodeNoRoute
	}
	_ = page.Body.Close() // only what it is counts
	return !strings.Contains(page.Header.Get("Content-Type"), "json")
}

// pageless says what to type instead.
func pageless(f *failure, args []string) error {
	if len(args) == 0 {
		return f.advise("see `foretell datasets list`, or open a service that has a dashboard with --server URL")
	}
	return f.advise("see `foretell datasets get %[1]s` or `foretell models report %[1]s`, or open a service that has a dashboard with --server URL", quote(args[0]))
}

// pageOfThing finds the one thing that a reference means, and gives the path of
// its page.
func pageOfThing(ctx context.Context, conn *connection, ref string) (string, error) {
	kinds := []struct {
		path string
		noun noun
	}{
		{"datasets", datasetNoun}, {"training", trainingNoun}, {"models", modelNoun}, {"predictions", predictionNoun},
	}
	if strings.Contains(ref, "@") && ref != last {
		kinds = kinds[2:3] // NAME@champion, NAME@v3
	}
	var missing *failure
	for _, kind := range kinds {
		key, err := kind.noun.find(conn, ctx, ref)
		if err == nil {
			return kind.path + "/" + key, nil
		}
		if f := explain(ctx, err); f.exit != ExitNotFound {
			return "", err
		}
		errors.As(err, &missing)
	}
	if missing == nil || len(kinds) > 1 {
		return "", fail(ExitNotFound, "there is no dataset, training, model or prediction %q", ref).advise("see `foretell datasets list`")
	}
	return "", missing
}

// browse starts a browser and does not wait for it.
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
