package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"foretell/cmd/crud"
	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
)

type openOptions struct {
	factory   *cli.Factory
	service   connect.ServiceFlags
	noBrowser bool
}

func newOpenCmd(f *cli.Factory) *cobra.Command {
	opts := &openOptions{factory: f}
	cmd := &cobra.Command{
		Use: "open [REF]", Short: "Open the dashboard in a browser",
		Long: `Opens the dashboard of the service, or with REF the page of a dataset, race, model or
prediction. REF has one of these forms:

  KEY                     the key of the object, or at least its first 6 characters
  NAME                    the name of a dataset
  NAME@champion, NAME@v3  a model

Without a terminal, or with --no-browser, the URL of the page is printed instead.

If no server is configured, the command starts the embedded service and serves its
dashboard until Ctrl-C. Only this machine can reach the dashboard. The link works
once, in one browser. Some services have no dashboard.`,
		Example: `  foretell open
  foretell open train@champion --no-browser`,
		Args: cli.PositionalArgs("[REF]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.service.Bind(cmd, f)
	cmd.Flags().BoolVar(&opts.noBrowser, "no-browser", false, "print the URL instead of opening it")
	cmd.ValidArgsFunction = opts.service.CompleteReference(connect.ListDatasetRefs)
	return cmd
}

func (o *openOptions) run(ctx context.Context, args []string) error {
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	page := "/"
	if len(args) > 0 {
		path, err := findDashboardPage(ctx, session, args[0])
		if err != nil {
			return err
		}
		page += path
	}
	if session.Embedded {
		return o.serveLocal(ctx, session, page)
	}
	address := session.BaseURL() + page
	if !hasDashboard(ctx, session) {
		return exit.Errorf(exit.NotFound, "the service at %s has no dashboard", session.BaseURL()).
			WithHint("see `foretell datasets list`, or use --server URL to choose a service with a dashboard")
	}
	return o.openOrPrint(ctx, address)
}

// serveLocal serves the dashboard of the embedded service on the loopback interface, and opens or
// prints the URL of page, a path. It returns when ctx is done.
func (o *openOptions) serveLocal(ctx context.Context, session *connect.Session, page string) error {
	if cli.IsDryRun(o.service.Cmd) {
		o.factory.Note("would serve the dashboard on this machine and open %s", page)
		return nil
	}
	pages, err := session.ServePages(ctx)
	if err != nil {
		return exit.Errorf(exit.Unexpected, "cannot listen on this machine: %w", err).WithHint("see the results with `foretell models report` instead")
	}
	err = o.openOrPrint(ctx, pages.Link(page))
	if err == nil {
		o.factory.Note("serving the dashboard on this machine; stop with Ctrl-C")
		<-ctx.Done()
		o.factory.StoppedBySignal = true
	}
	return errors.Join(err, pages.Close())
}

// openOrPrint opens a URL in a browser. Without a terminal, or with --no-browser, it prints the URL
// instead.
func (o *openOptions) openOrPrint(ctx context.Context, address string) error {
	if o.noBrowser || !o.factory.Console.OutTerminal {
		_, err := fmt.Fprintln(o.factory.Console.Out, address)
		return err
	}
	o.factory.Note("opening %s", address)
	if err := o.startBrowser(ctx, address); err != nil {
		return exit.Errorf(exit.Unexpected, "cannot start a browser for %s: %w", address, err).
			WithHint("set BROWSER, or print the URL with --no-browser")
	}
	return nil
}

// hasDashboard reports whether the service has a dashboard, according to its front page.
func hasDashboard(ctx context.Context, session *connect.Session) bool {
	front, err := session.DoRaw(ctx, client.RawRequest{Method: http.MethodGet, Path: "/"})
	if err != nil {
		return api.CodeFromError(err) != api.CodeNoRoute
	}
	defer front.Body.Close()
	if !strings.Contains(front.Header.Get("Content-Type"), "json") {
		return true
	}
	var about struct{ Dashboard string }
	return json.NewDecoder(front.Body).Decode(&about) == nil && about.Dashboard != ""
}

// findDashboardPage returns the URL path of the page for the object that ref refers to.
func findDashboardPage(ctx context.Context, session *connect.Session, ref string) (path string, err error) {
	kinds := []struct {
		path string
		noun crud.Resource
	}{
		{"datasets", crud.Datasets}, {"training", crud.Trainings}, {"models", crud.Models}, {"predictions", crud.Predictions},
	}
	if strings.Contains(ref, "@") && ref != cli.LastRef {
		kinds = kinds[2:3] // only models have references such as NAME@champion and NAME@v3
	}
	var missing *exit.Error
	for _, kind := range kinds {
		key, err := kind.noun.Resolve(session, ctx, ref)
		if err == nil {
			return kind.path + "/" + key, nil
		}
		if e := exit.FromError(ctx, err); e.Status != exit.NotFound {
			return "", err
		}
		errors.As(err, &missing)
	}
	if missing == nil || len(kinds) > 1 {
		return "", exit.Errorf(exit.NotFound, "no dataset, race, model or prediction %q found", ref).
			WithHint("list the keys with `foretell datasets list`, `foretell training list`, `foretell models list` or `foretell predictions list`")
	}
	return "", missing
}

// startBrowser starts a browser without waiting for it.
func (o *openOptions) startBrowser(ctx context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if command := o.factory.Env("BROWSER"); command != "" {
		words := []string{command} // the path of a program may have spaces
		if _, err := exec.LookPath(command); err != nil {
			words = strings.Fields(command)
		}
		if len(words) > 0 {
			name, args = words[0], append(words[1:], address)
		}
	}
	browser := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := browser.Start(); err != nil {
		return err
	}
	return browser.Process.Release()
}
