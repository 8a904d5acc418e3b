package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/design"
	"foretell/internal/htmlreport"
)

// parseTemplates returns the templates of each page, by the name of the page. The file of a page
// defines the template "content". The templates in the folder shared are added to the templates of
// every page. The templates call now for the current time.
func parseTemplates(now func() time.Time) map[string]*template.Template {
	shared := htmlreport.AddTemplates(design.Templates(now)).Funcs(template.FuncMap{
		"asset":  assetPath,
		"charts": func() bool { return true },

		"blindFileName": blindFileName,
		"maxUpload":     func() int64 { return api.MaxUploadBytes },
	})
	template.Must(shared.ParseFS(files, "templates/shared/*.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err) // cannot happen: the pattern is constant
	}
	pages := map[string]*template.Template{}
	for _, name := range names {
		pages[strings.TrimSuffix(path.Base(name), ".html")] = template.Must(template.Must(shared.Clone()).ParseFS(files, name))
	}
	return pages
}

// assetVersion returns a hash of all assets. The hash is part of their paths, so that browsers may
// cache assets forever.
var assetVersion = sync.OnceValue(hashAssets)

// readAsset returns a file of the design system, or a script of the pages. The scripts are our own
// scripts and the scripts of the npm packages htmx.org 2.0.11, idiomorph 0.8.0 and uplot 1.6.32.
// The latter are embedded in the gzip format, which makes the program 71 kB smaller. The licences of
// the packages are in the same folder.
func readAsset(name string) ([]byte, error) {
	if strings.HasSuffix(name, ".gz") {
		return nil, fs.ErrNotExist // only the script itself is an asset
	}
	if compressed, err := files.Open("assets/" + name + ".gz"); err == nil {
		content, err := gzip.NewReader(compressed)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(content)
	}
	if content, err := files.ReadFile("assets/" + name); err == nil {
		return content, nil
	}
	return design.Asset(name)
}

func hashAssets() string {
	sum := sha256.New()
	scripts, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	names := design.AssetNames()
	for _, script := range scripts {
		names = append(names, strings.TrimSuffix(script.Name(), ".gz"))
	}
	for _, name := range names {
		content, err := readAsset(name)
		if err != nil {
			panic(err) // cannot happen: the file is embedded
		}
		_, _ = sum.Write(content) // a hash never fails
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}

func assetPath(name string) string { return "/assets/" + assetVersion() + "/" + name }

// handleAsset responds with an embedded file. The path of the request contains assetVersion, so
// browsers may cache the file forever.
func (p *Pages) handleAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, err := readAsset(path.Base(name))
	if err != nil || r.PathValue("version") != assetVersion() {
		p.NotFound(w, r)
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".woff2" {
		kind = "font/woff2" // unknown to the MIME tables of some operating systems
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	if path.Ext(name) == ".woff2" { // WOFF2 is already compressed
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return
	}
	writeCompressed(w, r, http.StatusOK, content)
}

// respondIfUnchanged responds with 304 and returns true if the browser already has body, the HTML
// of a part of a page. Otherwise it sets the ETag of the response.
func respondIfUnchanged(v *visit, body []byte) (unchanged bool) {
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	v.w.Header().Set("ETag", etag)
	if v.r.Header.Get("If-None-Match") != etag {
		return false
	}
	v.w.WriteHeader(http.StatusNotModified)
	return true
}
