package request

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/client"
)

// TestAllPages fetches lists of services that say in different ways where the next page is. Each list has
// 25 items, and the service sends at most 10 of them in a page.
func TestAllPages(t *testing.T) {
	for name, describe := range map[string]func(offset int) string{
		"nothing":        func(int) string { return "" },
		"ignores_offset": func(int) string { return "" },
		"total":          func(int) string { return `,"total":25` },
		"total_as_text":  func(int) string { return `,"total":"25"` },
		"next_as_text":   func(offset int) string { return fmt.Sprintf(`,"nextOffset":"%d"`, offset+10) },
		"next_after_end": func(offset int) string { return fmt.Sprintf(`,"nextOffset":%d`, offset+10) },
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
				if name == "ignores_offset" {
					offset = 0
				}
				items := []int{}
				for i := offset; i < min(25, offset+10); i++ {
					items = append(items, i)
				}
				list, _ := json.Marshal(items)
				fmt.Fprintf(w, `{"items":%s,"limit":10%s}`, list, describe(offset))
			}))
			defer server.Close()
			c, err := client.New(client.Options{BaseURL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			got, err := AllPages(t.Context(), c, client.RawRequest{Method: http.MethodGet, Path: "/items"})
			if err != nil {
				t.Fatal(err)
			}
			items, _ := got.(map[string]any)["items"].([]any)
			want := 25
			if name == "ignores_offset" {
				want = 10
			}
			if len(items) != want || requests > 4 {
				t.Errorf("%d items in %d requests", len(items), requests)
			}
		})
	}
}

// TestChangingPages fetches jobs while new jobs are queued. Each page begins with the last job of the page
// before, and has the same list of queues.
func TestChangingPages(t *testing.T) {
	pages := map[string]string{
		"":  `{"jobs":[{"jobKey":"c","objectKey":"x"},{"jobKey":"b","objectKey":"x"}],"queues":[{"account":"ann","queued":3}],"workers":[],"total":3}`,
		"2": `{"jobs":[{"jobKey":"b","objectKey":"x"},{"jobKey":"a","objectKey":"x"}],"queues":[{"account":"ann","queued":4}],"workers":[],"total":4}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(pages[strings.TrimPrefix(r.URL.Query().Get("offset"), "0")]))
	}))
	defer server.Close()
	c, err := client.New(client.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	all, err := AllPages(t.Context(), c, client.RawRequest{Method: http.MethodGet, Path: "/jobs?limit=2"})
	got, _ := json.Marshal(all)
	const want = `{"jobs":[{"jobKey":"c","objectKey":"x"},{"jobKey":"b","objectKey":"x"},{"jobKey":"a","objectKey":"x"}],"queues":[{"account":"ann","queued":3}],"total":3,"workers":[]}`
	if err != nil || string(got) != want {
		t.Errorf("%v, got %s", err, got)
	}
}
