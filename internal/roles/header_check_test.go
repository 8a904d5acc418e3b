package roles_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"foretell/internal/roles"
)

// TestDescribeHeader checks that the first record is taken as data if its cells resemble the
// cells below them.
func TestDescribeHeader(t *testing.T) {
	codes := func(i int) string {
		return fmt.Sprintf("A1%d,%d,A3%d,%d,%d,%d", i%4, 4+i*7%60, i%5, 250+i*i, i%4, 1+i%2)
	}
	sentence := func(i int) string { return fmt.Sprintf("this is the text number %d of them", i) }
	for name, test := range map[string]struct {
		header string
		row    func(i int) string
		want   bool
	}{
		"codes and numbers, some twice": {"A11,6,A34,1169,4,1", codes, true},
		"missing values":                {"2,1,?,66,?,1", func(i int) string { return fmt.Sprintf("%d,%d,%d.5,?,%d,%d", i%2, i, i%30, i%7, 1+i%2) }, true},
		"the class first, then measurements": {"1,14.23,1.71,127,1065", func(i int) string {
			return fmt.Sprintf("%d,%d.25,%d.5,%d,%d", 1+i%3, 11+i%4, i%3, 70+i%90, 300+i*3)
		}, true},
		"all words": {"p,x,s,n", func(i int) string { return string("pe"[i%2]) + "," + string("xbf"[i%3]) + ",s," + string("nwg"[i%3]) }, true},
		"names":     {"code,months,history,amount,rate,y", codes, false},
		"positions": {"0,1,2,3,4,5", codes, false},
		"years and a class": {"town,2010,2011,2012,2013,y", func(i int) string {
			return fmt.Sprintf("t%d,%d.5,%d,%d,%d,%d", i, i, i+1, i+2, i+3, i%2)
		}, false},
		"wavelengths": {"1100.5,1102.5,1104.5,1106.5,1108.5,octane", func(i int) string {
			return fmt.Sprintf("0.%d,0.%d,0.%d,0.%d,0.%d,%d", i, i+1, i+2, i+3, i+4, i%2)
		}, false},
		"the header again among the rows": {"code,size,kind,y", func(i int) string {
			if i == 30 {
				return "code,size,kind,y"
			}
			return fmt.Sprintf("r%d,%d,a,b", i, i)
		}, false},
		"counts of rows and columns, then classes": {"60,4,setosa,versicolor,virginica", func(i int) string {
			return fmt.Sprintf("5.%d,3.%d,1.%d,0.%d,%d", i, i, i, i, i%3)
		}, false},
		"a text, then its class":       {"The plug does not fit my phone.,0", func(i int) string { return sentence(i) + "," + string("01"[i%2]) }, true},
		"the class, then a text":       {"ham,Go until jurong point crazy Available only in bugis", func(i int) string { return []string{"ham", "spam"}[i%2] + "," + sentence(i) }, true},
		"the class, a title, a text":   {"3,Wall St Falls,Stocks fell on Wall Street today", func(i int) string { return fmt.Sprintf("%d,Title %d,%s", 1+i%4, i, sentence(i)) }, true},
		"a text without spaces":        {"这个酒店的房间很干净,1", func(i int) string { return fmt.Sprintf("我觉得服务不是很好%d,%d", i, i%2) }, true},
		"a question and a named class": {"What do you think of it?,spam", func(i int) string { return sentence(i) + "," + []string{"ham", "spam"}[i%2] }, false},
		"questions":                    {"What do you think of it?,Would you buy it again?", func(i int) string { return sentence(i) + "," + []string{"yes", "no"}[i%2] }, false},
		"a scale and a question": {"1,2,3,4,5,What do you think of it?", func(i int) string {
			return fmt.Sprintf("%d,%d,%d,%d,%d,%s", 1+i%5, 1+i%4, 1+i%3, 1+i%4, 1+i%5, sentence(i))
		}, false},
		"one of three classes, then a text":    {"hardware,The plug does not fit", func(i int) string { return []string{"hardware", "software", "network"}[i%3] + "," + sentence(i) }, true},
		"a named class and the name of a text": {"Positive,Text of the customer review", func(i int) string { return []string{"Positive", "Negative"}[i%2] + "," + sentence(i) }, false},
		"a class and a short text":             {"Positive,All texts of the customers", func(i int) string { return []string{"Positive", "Negative"}[i%2] + "," + sentence(i) }, false},
		"options and questions": {"Email,Phone,Store,What could we improve for you?,How satisfied are you overall?", func(i int) string {
			return []string{"Email", ""}[i%2] + "," + []string{"Phone", "", ""}[i%3] + "," + []string{"", "Store"}[i/2%2] + "," + sentence(i) + "," + []string{"I am very satisfied with it", "I am not satisfied with it"}[i/3%2]
		}, false},
		"an option and a request": {"Other,Please specify the other reason,Score given", func(i int) string {
			return []string{"Other", ""}[i%2] + "," + sentence(i) + "," + fmt.Sprintf("%d", 1+i%5)
		}, false},
		"an option and a long name": {"Other,The other reason in your own words and more,Score given", func(i int) string {
			return []string{"Other", ""}[i%2] + "," + sentence(i) + "," + fmt.Sprintf("%d points given", 1+i%5)
		}, false},
		"a short name and a column number": {"review,0", func(i int) string { return sentence(i) + "," + string("01"[i%2]) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tableOf(t, test.header, 60, test.row).LooksHeaderless; got != test.want {
				t.Errorf("Headless = %v, want %v", got, test.want)
			}
		})
	}
}

// TestMissingColumn checks that FindMissingColumn finds by the cells which column a blind
// file lacks. If the cells do not show it, it must return the last column.
func TestMissingColumn(t *testing.T) {
	columns := []func(i int) string{
		func(i int) string { return string("pe"[i%2]) },
		func(i int) string { return fmt.Sprint(100 + i*7%50) },
		func(i int) string { return string("xbf"[i%3]) },
		func(i int) string { return fmt.Sprintf("0.%d", i*3%10) },
		func(i int) string { return string("xbf"[i*i%3]) },
	}
	table := func(from int, without ...int) string {
		var b strings.Builder
		for i := range 60 {
			var row []string
			for at, column := range columns {
				if !slices.Contains(without, at) {
					row = append(row, column(from+i))
				}
			}
			b.WriteString(strings.Join(row, ",") + "\n")
		}
		return b.String()
	}
	for without, want := range []int{0, 1, 2, 3, 4} {
		if got, err := roles.FindMissingColumn(t.Context(), strings.NewReader(table(0)), strings.NewReader(table(60, without))); got != want || err != nil {
			t.Errorf("without column %d: %d, %v", without, got, err)
		}
	}
	alike := "a,b,c\n" + strings.Repeat("x,y,x\ny,x,y\n", 30)
	if got, err := roles.FindMissingColumn(t.Context(), strings.NewReader(alike), strings.NewReader("a,b\n"+strings.Repeat("x,y\n", 9))); got != 2 || err != nil {
		t.Errorf("alike columns: %d, %v", got, err)
	}
}

// TestBlindFileWithoutHeader checks that the first record of a blind file is taken as data
// if it has as many cells as the training file has columns, and none of their names.
func TestBlindFileWithoutHeader(t *testing.T) {
	known := roles.TrainingFile{Columns: []string{"id", "size", "town", "y"}, Features: []string{"size", "town"}, ID: "id", Label: "y"}
	model := roles.TrainingFile{Features: []string{"size", "town"}}
	for _, c := range []struct {
		header string
		known  *roles.TrainingFile
		want   string
	}{
		{"r1,4.5,Ulm", &known, "id,size,town"},
		{"r1,4.5,Ulm,yes", &known, "id,size,town,y"},
		{"4.5,Ulm", &known, "size,town"},
		{"4.5,Ulm", &model, "size,town"},
		{"r1,4.5,Ulm", &model, ""},
		{"id,4.5,Ulm", &known, ""},
		{"ID,Size,Town", &known, ""},
		{"a,b,c", &known, ""},
		{"4.5", &known, ""},
	} {
		table := roles.NewDescription(strings.Split(c.header, ","))
		got := ""
		if c.known.BlindLacksHeader(table) {
			got = strings.Join(c.known.BlindColumnNames(len(table.Columns)), ",")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.header, got, c.want)
		}
	}
}
