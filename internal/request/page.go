package request

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/exit"
)

// AllPages requests all pages of a list, and joins them into one decoded JSON document. If the
// response has no list, it is the only page.
func AllPages(ctx context.Context, c *client.Client, raw client.RawRequest) (any, error) {
	var all any
	var last []byte
	seen := map[string]bool{}
	path := raw.Path
	for offset := int64(0); ; {
		raw.Path = addPageQuery(path, offset)
		resp, err := Send(ctx, c, raw)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return nil, err
		}
		if last != nil && bytes.Equal(body, last) { // the service has no pages: it ignores the offset
			return all, nil
		}
		last = body
		var page any
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		if err := dec.Decode(&page); err != nil {
			return nil, exit.Usagef("%s: the response is not JSON, which --paginate requires", path).WithHint("omit --paginate to print the response as it is")
		}
		all = joinPages(all, decodeLists(page), seen)
		next, exists := nextOffset(raw.Path, offset, page)
		if !exists {
			if object, ok := all.(map[string]any); ok {
				delete(object, "nextOffset")
			}
			return all, nil
		}
		offset = next
	}
}

// nextOffset returns the offset of the page that follows page, and whether there is one; see
// [client.NextOffset]. page is the response to the request for path, and offset is the offset in
// this request.
func nextOffset(path string, offset int64, page any) (next int64, exists bool) {
	members, _ := page.(map[string]any)
	n := 0
	for _, value := range members {
		if list, ok := value.([]any); ok {
			n = max(n, len(list))
		}
	}
	if list, ok := page.([]any); ok {
		n = len(list)
	}
	_, text, _ := strings.Cut(path, "?")
	query, _ := url.ParseQuery(text) // addPageQuery has parsed it
	limit, err := strconv.ParseInt(query.Get("limit"), 10, 64)
	if err != nil {
		return 0, false
	}
	reported := api.Page{Total: -1}
	if total, ok := memberNumber(members, "total"); ok {
		reported.Total = total
	}
	reported.Limit, _ = memberNumber(members, "limit")
	if following, ok := memberNumber(members, "nextOffset"); ok {
		reported.NextOffset = &following
	}
	return client.NextOffset(api.PageInput{Offset: offset, Limit: limit}, reported, n)
}

// memberNumber returns the member with this name as an integer. The member may be a number, or a
// string that contains one. Otherwise ok is false.
func memberNumber(members map[string]any, name string) (number int64, ok bool) {
	switch value := members[name].(type) {
	case json.Number:
		number, err := value.Int64()
		return number, err == nil
	case string:
		number, err := strconv.ParseInt(value, 10, 64)
		return number, err == nil
	}
	return 0, false
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

// decodeLists decodes each member of page that is a string with a JSON list, such as the member
// datasets of a list of datasets. It changes page and returns it.
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

// joinPages appends the lists in the argument page to the lists in the argument all, the result of
// the earlier pages, and returns the new result. For the first page, all is nil. Values that are
// not lists are taken from the first page. If a list has items with keys, lists of items without
// keys, such as the queues of a page of jobs, are also taken from the first page. An item whose key
// is in seen is skipped, because a new item may move it to the next page.
func joinPages(all, page any, seen map[string]bool) any {
	switch more := page.(type) {
	case []any:
		before, _ := all.([]any)
		return append(before, more...)
	case map[string]any:
		object, ok := all.(map[string]any)
		if !ok {
			object = make(map[string]any, len(more))
		}
		for name, value := range more {
			list, ok := value.([]any)
			if !ok {
				object[name] = joinPages(object[name], value, seen)
				continue
			}
			before, known := object[name].([]any)
			items, keyed := unseenItems(name, list, seen)
			if !known {
				object[name] = items
			} else if keyed || len(seen) == 0 {
				object[name] = append(before, items...)
			}
		}
		return object
	}
	if all != nil {
		return all
	}
	return page
}

// unseenItems returns the items of a list whose keys are not in seen, and adds these keys to it. name
// is the name of the list. keyed is false if no item has a key.
func unseenItems(name string, list []any, seen map[string]bool) (unseen []any, keyed bool) {
	unseen = []any{}
	for _, item := range list {
		key := itemKey(name, item)
		if key == "" {
			unseen = append(unseen, item)
		} else if keyed = true; !seen[key] {
			unseen, seen[key] = append(unseen, item), true
		}
	}
	return unseen, keyed
}

// itemKey returns the key of an item of the list with the given name, such as the member requestKey
// of an item of accessRequests. It returns "" for an item without a key.
func itemKey(list string, item any) string {
	members, _ := item.(map[string]any)
	singular := strings.ToLower(strings.TrimSuffix(list, "s"))
	for name, value := range members {
		object, isKey := strings.CutSuffix(name, "Key")
		if key, ok := value.(string); ok && isKey && strings.HasSuffix(singular, strings.ToLower(object)) {
			return key
		}
	}
	return ""
}
