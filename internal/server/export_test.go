package server

import (
	"github.com/danielgtaylor/huma/v2"

	"foretell/internal/app"
)

// Document returns the OpenAPI document of the service.
func Document() *huma.OpenAPI {
	s := newService(&app.App{}, Options{Metrics: &Metrics{}}) // no operation is called
	s.mountAll(&router{})
	return s.openAPIDocument()
}
