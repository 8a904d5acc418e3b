package request

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/exit"
)

// AllPages requests all pages of a list. It returns them joined into one decoded JSON
// document.
func AllPages(ctx context.Context, c *client.Client, raw client.RawRequest) (any, error) {
	var all any
	path := raw.Path
	for offset := int64(0); ; {
		raw.Path = addPageQuery(path, offset)
		resp, err := Send(ctx, c, raw)
		if err != nil {
			return nil, err
		}
		var page any
		dec := json.NewDecoder(resp.Body)
		dec.UseNumber()
		err = errors.Join(dec.Decode(&page), resp.Body.Close())
		if err != nil {
			return nil, exit.Usagef("%s: the response is not JSON, which --paginate requires", path).WithHint("omit --paginate to print the response as it is")
		}
		all = joinPages(all, decodeLists(page))
		members, _ := page.(map[string]any)
		next, _ := members["nextOffset"].(json.Number)
		at, err := next.Int64()
		if err != nil || at <= offset {
			if object, ok := all.(map[string]any); ok {
				delete(object, "nextOffset")
			}
			return all, nil
		}
		offset = at
	}
}

// addPageQuery returns the path of the page that starts at offset. If path has no limit, it
// adds the maximum limit.
func addPageQuery(path string, offset int64) string {
	base, text, _ := strings.Cut(path, "?")
	query, err := url.ParseQuery(text)
	if err != nil {
		return path
	}
	query.Set("offset", formatQueryValue(offset))
	if !query.Has("limit") {
		query.Set("limit", formatQueryValue(api.MaxPageLimit))
	}
	return base + "?" + query.Encode()
}

// decodeLists returns page with decoded lists: a list may have been sent as a string that
// contains JSON.
func decodeLists(page any) any {
	members, _ := page.(map[string]any)
	for name, value := range members {
		text, _ := value.(string)
		var list []any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if strings.HasPrefix(text, "[") && dec.Decode(&list) == nil {
			members[name] = list
		}
	}
	return page
}

// joinPages appends the lists in page to the lists in all, and returns the result. The
// parameter all is nil before the first page. Values other than lists are those of the first
// page.
func joinPages(all, page any) any {
	switch more := page.(type) {
	case []any:
		before, _ := all.([]any)
		return append(before, more...)
	case map[string]any:
		object, ok := all.(map[string]any)
		if !ok {
			return page
		}
		for name, value := range more {
			object[name] = joinPages(object[name], value)
		}
		return object
	}
	if all != nil {
		return all
	}
	return page
}
