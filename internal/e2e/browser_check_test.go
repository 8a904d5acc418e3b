//go:build unix

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
	"foretell/internal/testenv/chrome"
)

// refusedTraining maps training files that the service rejects to the message of the browser.
var refusedTraining = map[string]string{
	"\xff\xfei\x00d\x00,\x00y\x00\n\x001\x00,\x002\x00\n\x00":  "The file is UTF-16.",
	"i\x00d\x00,\x00a\x00,\x00y\x00\n\x00":                     "The file is UTF-16.",
	"id,height,kind\n1,2,ro\x00se\n2,3,tea\n":                  "The file has NUL bytes.",
	"id,height,kind\n1,2,caf\xe9\n2,3,tea\n3,4,tea\n4,5,caf\n": "The file is not UTF-8",
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03":                 "This is a gzip file.",
	"\x89PNG\r\n":                           "This is a PNG picture.",
	"rose\n\n":                              "The file has only 6 bytes, so it is no table.",
	"":                                      "The file is empty.",
	"id,kind\n1,rose\n2,tulip\n":            "The header has 2 columns",
	"id,height,kind\n1,2,rose\n2,3,rose\n":  "Every row has the label rose",
	"id,height,kind\n1,2,a\n2,3,b\n3,5,c\n": "3 different values in 3 rows",
	"id,height,kind\n1\n2,3,rose\n3,5,tulip\n":              "Line 2 has 1 column, but the header has 3.",
	"id,height,kind\n1,2,rose\n2,3,tulip\n3,3,\n4,3,rose\n": "Line 4 has no label.",

	"\xfd7zXZ\x00\x00\x04\xe6\xd6":           "This is an xz file. The service rejects such a file. Unpack it.",
	"[{\"id\": 1, \"kind\": \"rose\"},\n{}]": "This is JSON.",
	"<!DOCTYPE html>\n<p>a\n":                "This is a web page.",
	"PAR1\x15\x04\x15\x10\x15\x14\x4c\x15":   "This is a Parquet file.",
	"% a\n@RELATION iris\n@DATA\n1,2,3\n":    "This is an ARFF file.",

	"flowers,,\nid,height,kind\n1,2,rose\n2,3,tulip\n":                "Only one of 3 columns has a name",
	"id,height,kind\n1,2 \" 3,rose\n2,3,tulip\n3,4,rose\n4,5,tulip\n": "Line 2 has a quote inside a field that is not in quotes.",
}

// refusedBlind maps blind files that do not match the training file of TestFileCheckInBrowser to the
// message of the browser.
var refusedBlind = map[string]string{
	"ID,x\n1,2\n":                     "3 columns of the training file are missing: height, width, colour.",
	"id,height,width\n1,2,3\n2,3,4\n": "1 column of the training file is missing: colour.",
}

// TestFileCheckInBrowser chooses files that the service rejects. The browser must show the defect
// before they are sent, and show none for the files that the service accepts.
func TestFileCheckInBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	ctx, messages := chrome.Start(t)
	dir, files := t.TempDir(), t.TempDir()
	_, base := serveAt(t, "127.0.0.1:0", dir)
	foretell := foretellWith(t, append(os.Environ(), accountOn(t, base, "--data-dir", dir)...))
	p := &person{t: t, ctx: ctx, base: base}
	p.visit("/sign-in")
	p.signIn("a@example.com")

	var train strings.Builder
	train.WriteString("id,height,width,colour,kind\r")
	for i := range 300 {
		fmt.Fprintf(&train, "%d,%d,%d,%s,%s\r", i, i%97, i*i%89, []string{"red", "green", "blue"}[i%3], []string{"rose", " rose"}[i*i%89/45])
	}
	p.visit("/datasets")
	for content, want := range refusedTraining {
		p.choose(filepath.Join(files, "train.csv"), content, ".note.bad", want)
		if found, err := profile.Scan(t.Context(), strings.NewReader(content), profile.ScanOptions{Brief: true}); err != nil || found.DefectSummary() == "" {
			t.Errorf("the service accepts the file with the message %s: %v", want, err)
		}
	}
	p.checkColumns(foretell)
	p.visit("/datasets")
	p.choose(filepath.Join(files, "train.csv"), train.String(), ".note.good", "kB: 5 columns. Row IDs: id. Labels: kind, 2 different.")
	p.sees("[data-check] .note.warn") // the labels differ in a space
	percents := strings.Repeat("%share, ", 40) + "kind\n" + strings.Repeat(strings.Repeat("1,", 40)+"rose\n"+strings.Repeat("2,", 40)+"tulip\n", 2)
	p.choose(filepath.Join(files, "percents.csv"), percents, ".note.good", "41 columns.") // a long first line that begins with % is recognised at once as no ARFF file
	p.choose(filepath.Join(files, "named.csv"), "PAR1,kind,size\n1,rose,2\n2,tulip,3\n3,rose,3\n", ".note.good", "3 columns.")
	odd := "sep=;\r\n;height;height;;kind\r\n1;2;3;4;rose\r\n2;3;4;5;tulip\r\n3;4;4;5;rose\r\n4;5;6;6;tulip\r\n"
	p.choose(filepath.Join(files, "odd.csv"), odd, ".note.good", "5 columns. Row IDs: the first column, which has no name. Labels: kind, 2 different.")
	p.choose(filepath.Join(files, "odd.csv"), odd, ".note.warn", "column 3 is read as height_2, column 4 is read as column_4")

	scanned, err := profile.Scan(t.Context(), strings.NewReader(train.String()), profile.ScanOptions{Brief: true})
	if err != nil || scanned.DefectSummary() != "" {
		t.Fatalf("the training file is rejected: %v", err)
	}
	p.writeFile(filepath.Join(files, "train.csv"), train.String())
	foretell("datasets", "create", "flowers", filepath.Join(files, "train.csv"), "--id", "id", "--label", "kind")
	foretell("training", "create", "@last", "--algorithm", "BSIX01", "--time-limit", "10m")
	p.visit("/models/" + foretell("models", "list", "--quiet", "--limit", "1"))
	for content, want := range refusedBlind {
		p.choose(filepath.Join(files, "blind.csv"), content, ".note.bad", want)
		if err := readBlind(t, content, scanned.Schema); err == nil {
			t.Errorf("the service accepts the blind file with the message %s", want)
		}
	}
	blind := "more,colour,height,width\n1,red,3,4\n2,blue,50,80\n" // another name of the row IDs
	p.choose(filepath.Join(files, "blind.csv"), blind, ".note.good", "48 B: 4 columns. Row IDs: more.")
	if err := readBlind(t, blind, scanned.Schema); err != nil {
		t.Errorf("the service rejects the blind file: %v", err)
	}
	for _, content := range []string{"height,width,colour\n3,4,red\n", "HEIGHT,Width,Colour \n3,4,red\n,,\n,,\n", "colour;id;height;width\nred;1;3;4\nred;1;3;4\n"} {
		p.choose(filepath.Join(files, "blind.csv"), content, ".note.good", "Row IDs: none, the rows are numbered.")
	}
	for _, message := range withoutAborted(messages()) {
		t.Errorf("a message: %s", message)
	}
}

// checkColumns chooses, on the page of the datasets, a training file whose label is ambiguous. The
// page must ask for the label, list the columns, check the file again when other columns are chosen,
// and upload the file with these columns.
func (p *person) checkColumns(foretell func(args ...string) string) {
	p.t.Helper()
	selects := func(id, value, text string) {
		p.run("choosing "+value, chromedp.SetValue("#"+id, value, chromedp.ByQuery),
			chromedp.Evaluate(`document.getElementById("`+id+`").dispatchEvent(new Event("change", {bubbles: true}))`, nil),
			poll(`document.querySelector("[data-check]").textContent.includes("`+text+`")`))
	}
	wide := "target" + strings.Repeat(",x", 2001) + "\n" + strings.Repeat("yes"+strings.Repeat(",1", 2001)+"\nno"+strings.Repeat(",2", 2001)+"\n", 20)
	p.choose("wide.csv", wide, ".note.good", "2,002 columns. Row IDs: none, the rows are numbered.") // too many columns to list
	selects("label", "target", "Labels: target, 2 different.")
	selects("label", "x", "Labels: x, 2 different.")
	selects("id", "target", "Line 4 repeats the row ID yes of line 2.")
	p.visit("/datasets")
	var file strings.Builder
	file.WriteString("rownames;survived;sex;passengerClass\n")
	for i := range 120 {
		fmt.Fprintf(&file, "p%d;%s;%s;%d\n", i, []string{"yes", "no"}[i*i%7%2], []string{"male", "female"}[i%2], 1+i%3)
	}
	p.choose("titanic.csv", file.String(), ".note.good", "4 columns. Row IDs: rownames.")
	p.sees("#columns .note.warn")
	p.checkShown("the fields for the columns")
	var isValid bool
	p.run("the form without a label", chromedp.Evaluate(`document.getElementById("label").form.elements.label.checkValidity()`, &isValid))
	if isValid {
		p.t.Error("the form can be sent without a label")
	}
	selects("label", "survived", "Row IDs: rownames. Labels: survived, 2 different.")
	p.visit("/models")
	p.goBack(`document.querySelector("[data-check]")?.textContent.includes("4 columns. Row IDs: rownames.") && document.querySelector("select#label")`)
	selects("label", "survived", "Row IDs: rownames. Labels: survived, 2 different.")
	selects("id", "sex", "Line 4 repeats the row ID male of line 2.")
	selects("id", "-", "Row IDs: none, the rows are numbered. Labels: survived")
	p.press("main form[data-hx-post] button")
	p.sees(`a[href$="/train"]`)
	if got := foretell("datasets", "get", "titanic", "--json", "--jq", `.idName + " " + .labelName`); got != "id survived" {
		p.t.Errorf("the row IDs and the label are %s", got)
	}
}

// readBlind reads a blind file as the service does.
func readBlind(t *testing.T, content string, schema *frame.Schema) error {
	t.Helper()
	blocks, err := frame.NewBlockReader(strings.NewReader(content), schema)
	if err != nil {
		return err
	}
	return blocks.Run(t.Context(), []frame.BlockWorker{ignoredBlocks{}})
}

// ignoredBlocks is a worker that does nothing with the rows of a file.
type ignoredBlocks struct{}

func (ignoredBlocks) Process(context.Context, *frame.Block) error { return nil }
func (ignoredBlocks) Commit(*frame.Block) error                   { return nil }

// choose writes the content to a new path and chooses this file, because a browser ignores it if the
// same path is chosen again. It waits until the page shows a note that contains the text.
func (p *person) choose(path, content, note, text string) {
	p.t.Helper()
	path = filepath.Join(p.t.TempDir(), filepath.Base(path))
	p.writeFile(path, content)
	quoted, err := json.Marshal(text)
	if err != nil {
		p.t.Fatal(err)
	}
	p.run("the message "+text, chromedp.SetUploadFiles("#file", []string{path}, chromedp.ByQuery),
		poll(`document.querySelector("[data-check] `+note+`")?.textContent.includes(`+string(quoted)+`)`))
}

// goBack presses the Back button and waits until an expression is true on the earlier page. It does
// not use poll, which fails if the page changes meanwhile.
func (p *person) goBack(expression string) {
	p.t.Helper()
	p.run("going back", chromedp.NavigateBack(), chromedp.ActionFunc(func(ctx context.Context) error {
		for isTrue := false; !isTrue; {
			_ = chromedp.Evaluate("!!("+expression+")", &isTrue).Do(ctx) // an error, as while the page changes, counts as false
			if err := chromedp.Sleep(lookInterval).Do(ctx); err != nil {
				return err
			}
		}
		return nil
	}))
}
