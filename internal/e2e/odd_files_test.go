package e2e_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// csv returns a table with the given header and 60 rows. The function row returns row i.
func csv(header string, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range 60 {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

func cell(texts string, i int) string {
	list := strings.Split(texts, " ")
	return list[i%len(list)]
}

// goodFiles returns a training file without defects, and a blind file for it. It is not a variable,
// because each command that a test starts runs this binary, and would compute the variable.
func goodFiles() (good, unlabelled string) {
	good = csv("ID,size,colour,y\n", func(i int) string {
		return fmt.Sprintf("r%d,%d.5,%s,%s", i, i*7%40, cell("red blue", i), cell("yes no no", i))
	})
	unlabelled = csv("ID,size,colour\n", func(i int) string { return fmt.Sprintf("q%d,%d.5,%s", i, i*7%40, cell("red blue", i)) })
	return good, unlabelled
}

// customer returns a row of a typical business table: no ID, the label in the middle,
// dates, amounts, percentages, comments, and several marks for missing values.
func customer(i int) []string {
	return []string{
		fmt.Sprint(18 + i*7%60), cell("15,000 NA 212,500 null 87,400 ?", i), cell("Basic Plus Pro", i), fmt.Sprintf("2023-%02d-%02d", 1+i%12, 1+i%28),
		cell("yes no no", i), cell("True False", i), fmt.Sprintf("%d.%d%%", i%100, i%10), []string{"very happy", "too slow, and \"dear\"", "called\ntwice"}[i%3],
		cell("0.5 N/A 4.25 -", i),
	}
}

const customerHeader = "age,income,plan,signup_date,churned,newsletter,usage_pct,comment,score\n"

// customers returns a table with the given columns of customer rows, separated by delim.
func customers(delim string, columns ...int) string {
	names, rows := strings.Split(strings.TrimSpace(customerHeader), ","), []string{}
	for i := range 61 {
		record := names
		if i > 0 {
			record = customer(i)
		}
		var fields []string
		for _, at := range columns {
			field := record[at]
			if strings.ContainsAny(field, "\"\n"+delim) {
				field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
			}
			fields = append(fields, field)
		}
		rows = append(rows, strings.Join(fields, delim))
	}
	return strings.Join(rows, "\n") + "\n"
}

// passengers returns a table whose second column is the label if label is set. ports has the
// values of the last column, separated by spaces. The value none stands for an empty cell.
func passengers(label bool, ports string) string {
	header, between := "PassengerId,Pclass,Name,Age,Fare,Embarked\n", ""
	if label {
		header = "PassengerId,Survived,Pclass,Name,Age,Fare,Embarked\n"
	}
	return csv(header, func(i int) string {
		if label {
			between = cell("0 1 1", i) + ","
		}
		return fmt.Sprintf("%d,%s%d,\"Mr. No. %d\",%s,%d.25,%s", i, between, 1+i%3, i, strings.ReplaceAll(cell("22 none 35", i), "none", ""), i, strings.ReplaceAll(cell(ports, i), "none", ""))
	})
}

// pair is a training file and a blind file, which may be empty.
type pair struct{ train, blind string }

// oddPairs returns typical files of new users, by a name that ends in the file extension.
func oddPairs(t *testing.T) map[string]pair {
	t.Helper()
	good, unlabelled := goodFiles()
	measured := func(i int) string { return fmt.Sprintf("%d.%d,%d.5", 90+i*37%80, i*7919%10000, 20+i%9) }
	pairs := map[string]pair{
		"label in the midst": {customers(",", 0, 1, 2, 3, 4, 5, 6, 7, 8), customers(",", 0, 1, 2, 3, 5, 6, 7, 8)},
		"label in both":      {customers(",", 0, 1, 2, 3, 5, 6, 7, 8, 4), customers(",", 0, 1, 2, 3, 4, 5, 6, 7, 8)},
		"no ID":              {customers(",", 0, 1, 2, 3, 5, 6, 7, 8, 4), customers(",", 0, 1, 2, 3, 5, 6, 7, 8)},
		"semicolons":         {customers(";", 0, 1, 2, 3, 5, 6, 7, 8, 4), customers(";", 0, 1, 2, 3, 5, 6, 7, 8)},
		"byte order mark":    {"\uFEFF" + strings.ReplaceAll(good, "\n", "\r\n"), unlabelled},
		"latin-1":            {csv("ID,gr\xf6\xdfe,y\n", func(i int) string { return fmt.Sprintf("r%d,%d,%s", i, i*7%40, cell("sch\xf6n nein", i)) }), ""},
		"UTF-16":             {wide(good), unlabelled},
		"a name twice":       {csv("ID,a,a,b,y\n", func(i int) string { return fmt.Sprintf("r%d,%d,%d.5,%d,%s", i, i*7%40, i, i%3, cell("yes no", i)) }), ""},
		"two rows":           {"ID,a,b,label\n1,1,2,x\n2,3,4,y\n", ""},
		"one class":          {csv("ID,a,b,y\n", func(i int) string { return fmt.Sprintf("r%d,%d,%d.5,x", i, i*7%40, i) }), ""},
		"numbers to predict": {csv("ID,a,b,price\n", func(i int) string { return fmt.Sprintf("r%d,%d,%d.5,%d.%d", i, i*7%40, i, i*17, i%10) }), ""},
		"many whole numbers": {csv("ID,rooms,price\n", func(i int) string { return fmt.Sprintf("r%d,%d,%d", i, i%30, 1000*(i%30)) }), ""},
		"rows without a label": {csv("ID,a,b,y\n", func(i int) string {
			return fmt.Sprintf("r%d,%d,%d.5,%s", i, i*7%40, i, strings.ReplaceAll(cell("x y none x", i), "none", ""))
		}), ""},
		"no header": {
			csv("", func(i int) string { return fmt.Sprintf("r%d,%d.25,%d.5,%s", i, i*7%40, i, cell("x y y", i)) }),
			csv("", func(i int) string { return fmt.Sprintf("q%d,%d.25,%d.5", i, i*7%40, i) }),
		},
		"no header, numbers": {
			csv("", func(i int) string { return fmt.Sprintf("%d,%d.25,%d.5,%d", 1+i%9, i*7%40, i, i%2) }),
			csv("", func(i int) string { return fmt.Sprintf("%d,%d.25,%d.5", 1+i%9, i*7%40, i) }),
		},
		"the label first, no header": {
			csv("", func(i int) string { return fmt.Sprintf("%s,%d,%s", cell("p e e", i), i*7%40, cell("red blue", i)) }),
			csv("", func(i int) string { return fmt.Sprintf("%d,%s", i*7%40, cell("red blue", i)) }),
		},
		"blind without a header":   {good, strings.SplitAfterN(unlabelled, "\n", 2)[1]},
		"blind in another order":   {good, csv("colour,ID,size\n", func(i int) string { return fmt.Sprintf("%s,q%d,%d.5", cell("red blue", i), i, i*7%40) })},
		"blind with more columns":  {good, csv("ID,size,colour,z\n", func(i int) string { return fmt.Sprintf("q%d,%d.5,%s,5", i, i*7%40, cell("red blue", i)) })},
		"blind with a column less": {good, csv("ID,colour\n", func(i int) string { return fmt.Sprintf("q%d,%s", i, cell("red blue", i)) })},
		"blind without IDs":        {good, csv("size,colour\n", func(i int) string { return fmt.Sprintf("%d.5,%s", i*7%40, cell("red blue", i)) })},
		"blind with new values":    {good, csv("ID,size,colour\n", func(i int) string { return fmt.Sprintf("q%d,%d.5,%s", i, 100+i*7%40, cell("NEW blue", i)) })},
		"blind in other letters":   {good, csv("id,SIZE,Colour\n", func(i int) string { return fmt.Sprintf("q%d,%d.5,%s", i, i*7%40, cell("red blue", i)) })},
		"blind with IDs twice":     {good, csv("ID,size,colour\n", func(i int) string { return fmt.Sprintf("q%d,%d.5,%s", i/2, i*7%40, cell("red blue", i)) })},
		"a row too short":          {strings.Replace(good, "r37,19.5,", "r37,", 1), ""},
		"a row too short in blind": {good, strings.Replace(unlabelled, "q37,19.5,", "q37,", 1)},
		"IDs twice":                {csv("ID,a,b,y\n", func(i int) string { return fmt.Sprintf("r%d,%d,%d.5,%s", i/2, i*7%40, i, cell("x y y", i)) }), ""},
		"an open quote":            {good + "r60,\"1,red,yes\n", ""},
		"a stray quote":            {strings.Replace(good, "r37,19.5,blue", "r37,19.5,bl\"ue", 1), ""},
		"decimal commas": {csv("ID;preis;stadt;y\n", func(i int) string {
			return fmt.Sprintf("r%d;%d,5;%s;%s", i, i*7%40, cell("Köln Bonn", i), cell("ja nein", i))
		}), ""},
		"an index without a name":     {csv(",a,b,y\n", func(i int) string { return fmt.Sprintf("%d,%d,%d.5,%s", i, i*7%40, i, cell("x y y", i)) }), ""},
		"classes that are alike":      {csv("ID,a,y\n", func(i int) string { return fmt.Sprintf("r%d,%d,%s", i, i*7%40, cell("True TRUE true False", i)) }), ""},
		"names with spaces":           {csv("ID, a ,b c,y \n", func(i int) string { return fmt.Sprintf("r%d,%d,2,%s", i, i*7%40, []string{"x", " x", "y", "y "}[i%4]) }), ""},
		"a unique measurement first":  {csv("glucose,bmi,y\n", func(i int) string { return measured(i) + "," + cell("sick well", i) }), csv("glucose,bmi\n", measured)},
		"gaps in the last column":     {passengers(true, "S C Q none"), passengers(false, "S C Q none")},
		"label second":                {passengers(true, "S C Q"), passengers(false, "S C Q")},
		"no blind to find the label":  {passengers(true, "S C Q"), ""},
		"one feature leaks the label": {csv("ID,a,told,y\n", func(i int) string { return fmt.Sprintf("r%d,%d,%s,%s", i, i*7%40, cell("a b b", i), cell("x y y", i)) }), ""},
		"the header again":            {good + "ID,size,colour,y\n" + "r61,3.5,red,no\n", ""},
		"spaces between columns":      {strings.ReplaceAll(good, ",", "   "), strings.ReplaceAll(unlabelled, ",", "   ")},
		"empty":                       {"", ""},
		"only a header":               {"ID,a,b,label\n", ""},
		"a column of text":            {"words\nare\nno table\n", ""},
		"JSON":                        {`[{"a":1,"label":"x"},{"a":2,"label":"y"}]`, ""},
		"JSON Lines":                  {strings.Repeat("{\"a\":1,\"label\":\"x\"}\n{\"a\":2,\"label\":\"y\"}\n", 20), ""},
		"broken JSON":                 {strings.Repeat("{\"a\":1,\"label\":\"x\"}\n{\"a\":2,\"label\"\n", 20), ""},
		"ZIP":                         {zipped(t, "t.csv", good), unlabelled},
		"ZIP of two tables":           {zipped(t, "t.csv", good, "u.csv", good), ""},
		"no workbook":                 {zipped(t, "[Content_Types].xml", "<Types/>", "xl/workbook.xml", "<w/>"), ""},
		"no Parquet":                  {"PAR1" + strings.Repeat("\x00\x01\xFF", 400) + "PAR1", ""},
		"a database":                  {"SQLite format 3\x00" + strings.Repeat("\x00", 500), ""},
		"a web page":                  {"<!DOCTYPE html><html><body>404</body></html>\n", ""},
	}
	return pairs
}

// wide encodes a text in UTF-16 with a byte order mark.
func wide(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
		b.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	return b.String()
}

// zipped returns a ZIP archive. members are the names and the contents of its files,
// alternately.
func zipped(t *testing.T, members ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		member, err := w.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := member.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
