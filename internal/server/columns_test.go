package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/server"
)

// titanic is a training file whose label is not clear, with semicolons between the fields.
func titanic() string {
	var csv strings.Builder
	csv.WriteString("rownames;survived;sex;age;passengerClass\n")
	for i := range 120 {
		fmt.Fprintf(&csv, "p%d;%s;%s;%d;%d\n", i, []string{"yes", "no"}[i*i%7%2], []string{"male", "female"}[i%2], 20+i%50, 1+i%3)
	}
	return csv.String()
}

// TestColumnsOfUpload uploads files with the form of the datasets. The columns of the row IDs and the
// label are those that the command line chooses, unless the form names them.
func TestColumnsOfUpload(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	user := s.as(t, testUser, testPassword)
	upload := func(id, label, csv string) (*http.Response, string) {
		body, kind := form(t, "name", fmt.Sprintf("%.20s %.7s", id, label), "label", label, "id", id, "file", csv)
		return b.send(t, http.MethodPost, "/datasets", body, kind)
	}
	for _, c := range []struct{ name, id, label, csv, want string }{
		{"unclear", "", "", titanic(), `<a href="#label">Label</a>: it is not clear which column is the label: &#34;survived&#34; is named like a label, and &#34;passengerClass&#34; is the last column.`},
		{"unknown_label", "", "surived", titanic(), `<a href="#label">Label</a>: the file has no column &#34;surived&#34; (did you mean &#34;survived&#34;?)`},
		{"unknown_id", "key", "survived", titanic(), `<a href="#id">Row IDs</a>: the file has no column &#34;key&#34;.`},
		{"twice", "sex", "sex", titanic(), `<a href="#id">Row IDs</a>: is also the label`},
		{"ragged", "", "survived", titanic() + "x;y\n", `<a href="#file">CSV file</a>: line 122, column 3 (sex): expected 5 fields, got 2`},
	} {
		if resp, page := upload(c.id, c.label, c.csv); resp.StatusCode != 422 || !strings.Contains(page, c.want) || !strings.Contains(page, `value="`+c.label+`"`) {
			t.Errorf("%s: %d %s", c.name, resp.StatusCode, page)
		}
	}
	user.awaitDatasets(t, 0)
	var long strings.Builder // more than is read to choose the columns
	for i := range 60_000 {
		fmt.Fprintf(&long, "p%d;%s;male;\"%d,5\";1\n", 1000+i, []string{"yes", "no"}[i%2], i)
	}
	for _, c := range []struct{ id, label, csv, wantID, wantLabel, wantColumns string }{
		{"", "survived", titanic(), "rownames", "survived", "sex age passengerClass"},
		{"-", "passengerClass", titanic(), "id", "passengerClass", "rownames survived sex age"},
		{"", "", trainingCSV(), "id", "kind", ""},
		{"", "survived", "\ufeff" + titanic() + long.String(), "rownames", "survived", "sex age passengerClass"},
		{"", "", withoutFirstColumn(trainingCSV()), "id", "kind", ""},
	} {
		resp, page := upload(c.id, c.label, c.csv)
		path := resp.Request.URL.Path
		if resp.StatusCode != 200 || !strings.HasPrefix(path, "/datasets/") {
			t.Fatalf("%+v: %d %s", c, resp.StatusCode, page)
		}
		if state := user.poll(t, "/api/v1"+path); state != api.DatasetCompleted {
			t.Fatalf("%+v: the dataset is %s", c, state)
		}
		var d api.Dataset
		user.must(t, call{method: "GET", path: "/api/v1" + path}, &d)
		names := make([]string, len(d.Columns))
		for i := range names {
			names[i] = d.Columns[i].Name
		}
		if columns := strings.Join(names, " "); d.IDName != c.wantID || d.LabelName != c.wantLabel || c.wantColumns != "" && columns != c.wantColumns {
			t.Errorf("the columns are %s, %s, %s; want %s, %s, %s", d.IDName, columns, d.LabelName, c.wantID, c.wantColumns, c.wantLabel)
		}
		b.send(t, http.MethodPost, path+"/delete", "", "application/x-www-form-urlencoded")
	}
}

// TestListedColumns sends the beginning of a file as the script does, and expects fields that list
// its columns.
func TestListedColumns(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, server.Options{})
	s.addUser(t)
	b := newBrowser(t, s.url)
	b.signIn(t)
	list := func(csv string) string {
		body, kind := form(t, "whole", "yes", "file", csv)
		resp, page := b.send(t, http.MethodPost, "/datasets/columns?part=columns", body, kind)
		if resp.StatusCode != 200 || !strings.HasPrefix(page, `<div id="columns"`) {
			t.Fatalf("%d %s", resp.StatusCode, page)
		}
		return page
	}
	for csv, want := range map[string][]string{
		titanic():                         {`which column is the label: &#34;survived&#34; is named`, `<option value="">Choose a column</option>`, `<option value="rownames" selected>`},
		trainingCSV():                     {`<option value="kind" selected>kind</option></select>`, `<option value="id" selected>`, "Chosen: the last column."},
		withoutFirstColumn(trainingCSV()): {`<option value="-">None`, "no column looks like an ID"},
		"":                                {`<input id="label"`, `<input id="id"`},
	} {
		page := list(csv)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s is missing in %s", text, page)
			}
		}
	}
}

// withoutFirstColumn returns a CSV without its first column.
func withoutFirstColumn(csv string) string {
	var out strings.Builder
	for line := range strings.Lines(csv) {
		_, rest, _ := strings.Cut(line, ",")
		out.WriteString(rest)
	}
	return out.String()
}
