package roles_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/roles"
)

// tableOf describes a CSV with the given header and number of rows. row returns the i-th row,
// counted from 0.
func tableOf(t *testing.T, header string, rows int, row func(i int) string) *roles.Description {
	t.Helper()
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range rows {
		b.WriteString(row(i) + "\n")
	}
	names, err := roles.ReadHeader(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	names, _ = roles.UniqueNames(names)
	table, err := roles.Describe(t.Context(), strings.NewReader(b.String()), names, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// cells holds generators of cells by name. A generator returns the i-th cell of a column.
var cells = map[string]func(i int) string{
	"count":    func(i int) string { return fmt.Sprint(i + 1) },
	"years":    func(i int) string { return fmt.Sprint(1900 + i) },
	"gaps":     func(i int) string { return fmt.Sprint(100 + 3*i + i%2) },
	"shuffled": func(i int) string { return fmt.Sprint((i*37 + 11) % 101) },
	"code":     func(i int) string { return fmt.Sprintf("r%d", (i*37)%101) },
	"uuid":     func(i int) string { return fmt.Sprintf("%08x-1111-4222-8333-%012x", i*7919, i) },
	"measure":  func(i int) string { return fmt.Sprintf("%.4f", 1/(float64(i)+1.5)) },
	"date":     func(i int) string { return fmt.Sprintf("2026-%02d-%02d", 1+i/28, 1+i%28) },
	"huge":     func(i int) string { return fmt.Sprintf("%d%d", 7919*i+1000, 1<<62) },
	"floats":   func(i int) string { return fmt.Sprintf("%d.0", (i*37+11)%101) },
	"halves":   func(i int) string { return fmt.Sprintf("%d.5", (i*37+11)%101) },
	"money":    func(i int) string { return fmt.Sprintf("$%d", 1000+17*i) },
	"name":     func(i int) string { return fmt.Sprintf("Ms %c%c Smith", 'a'+i%26, 'a'+i/26) },
	"scores":   func(i int) string { return fmt.Sprintf("%d/60", i+1) },
	"totals":   func(i int) string { return fmt.Sprintf("%d.5/60", i) },
	"pairs":    func(i int) string { return fmt.Sprintf("r%d", i/2) },
	"constant": func(int) string { return "1" },
	"few":      func(i int) string { return []string{"a", "b", "c"}[i%3] },
	"digit":    func(i int) string { return fmt.Sprint(i % 3) },
	"empty":    func(int) string { return "" },
	"rare":     func(i int) string { return []string{"A", "", "", "B", "", ""}[i%6] },
	"gappy":    func(i int) string { return []string{"a", "b", ""}[i%3] },
}

// madeTable describes a table of 60 rows. columns lists its columns as NAME=KEY, where KEY is a
// key of cells.
func madeTable(t *testing.T, columns string) *roles.Description {
	t.Helper()
	return madeRows(t, columns, 60)
}

// madeRows does the same as madeTable with another number of rows.
func madeRows(t *testing.T, columns string, rows int) *roles.Description {
	t.Helper()
	var header []string
	var make []func(int) string
	for field := range strings.SplitSeq(columns, " ") {
		name, kind, _ := strings.Cut(field, "=")
		header, make = append(header, name), append(make, cells[kind])
	}
	return tableOf(t, strings.Join(header, ","), rows, func(i int) string {
		row := []string{}
		for _, cell := range make {
			row = append(row, cell(i))
		}
		return strings.Join(row, ",")
	})
}

func TestTrainID(t *testing.T) {
	for _, c := range []struct{ columns, want string }{
		{"ID=code a=few y=few", "ID"},
		{"ID=shuffled a=few y=few", "ID"},
		{"key=name a=few y=few", "key"},
		{"=count a=few y=few", ""},
		{"PassengerId=gaps a=few y=few", "PassengerId"},
		{"row=count a=few y=few", "row"},
		{"x=count a=few y=few", "x"},
		{"case=code a=few y=few", "case"},
		{"case=scores a=few y=few", "case"},
		{"case=totals a=few y=few", "made"},
		{"case=uuid a=few y=few", "case"},
		{"a=few customer_id=shuffled y=few", "customer_id"},
		{"a=few customerID=code y=few", "customerID"},
		{"user_id=huge a=few y=few", "user_id"},
		{"a=few cust_id=floats y=few", "cust_id"},
		{"a=few patient_no=shuffled y=few", "patient_no"},
		{"a=few Kundennr.=shuffled y=few", "Kundennr."},
		{"a=few Belegnr=shuffled y=few", "Belegnr"},
		{"a=few id_client=shuffled y=few", "id_client"},
		{"a=few numéro_client=shuffled y=few", "numéro_client"},
		{"a=few order_ref=shuffled y=few", "order_ref"},
		{"a=few ID-Nr=shuffled y=few", "ID-Nr"},
		{"a=few norecord=measure y=few", "made"},
		{"a=few caseNo=code y=few", "caseNo"},
		{"a=few MRN=gaps y=few", "MRN"},
		{"a=few uid=shuffled user_id=shuffled y=few", "user_id"},
		// Consecutive integers that do not start at 0 or 1, or that count time, are no row numbers.
		{"x=years a=few y=few", "made"},
		{"id=years a=few y=few", "id"},
		{"No=years a=few y=few", "No"},
		{"Season=count a=few y=few", "made"},
		{"weekOfYear=count a=few y=few", "made"},
		{"average=count a=few y=few", "average"},
		// The column is unique but not an ID.
		{"a=few patient_no=measure y=few", "made"},
		{"a=few serial_no=name y=few", "made"},
		{"a=few phone_number=shuffled y=few", "made"},
		{"a=few cust_id=halves y=few", "made"},
		{"glucose=measure a=few y=few", "made"},
		{"id=measure a=few y=few", "made"},
		{"age=shuffled a=few y=few", "made"},
		{"when=date a=few y=few", "made"},
		{"price=money a=few y=few", "made"},
		{"Name=name a=few y=few", "made"},
		{"a=few number=shuffled y=few", "made"},
		{"PAID=few a=few y=few", "made"},
		{"a=few PAID=shuffled y=few", "made"},
		// The column is named like an ID but is not one.
		{"ID=pairs a=few y=few", "made"},
		{"ID=gappy a=few y=few", "made"},
		{"age=few a=few y=few", "made"},
	} {
		r, _ := roles.ChooseRoles(madeTable(t, c.columns), nil, roles.Options{})
		got := r.ID
		if r.GeneratedID {
			got = "made"
		}
		if got != c.want || r.IDReason == "" {
			t.Errorf("%s: the ID is %q (%s), want %q", c.columns, got, r.IDReason, c.want)
		}
	}
}

func TestTrainLabel(t *testing.T) {
	for _, c := range []struct{ columns, blind, want, reason, question string }{
		{columns: "id=count a=few b=few", want: "b", reason: "the last column"},
		{columns: "id=count class=few label=few", want: "label", reason: "the last column"},
		{columns: "id=count a=few b=few c=measure", blind: "id,b,c", want: "a", reason: "the column that the blind file lacks"},
		{columns: "id=count a=few b=few", blind: "a", want: "b", reason: "the column that the blind file lacks"},
		{columns: "id=count a=few b=few", blind: "ID,A", want: "b", reason: "the column that the blind file lacks"},
		{columns: "id=count a=few b=few", blind: "id,a,b", want: "b", reason: "the last column"},
		{columns: "id=count a=few b=few c=few d=few", blind: "id,a,b", want: "d", question: "d,c"},
		{columns: "id=count a=few b=measure c=few d=measure", blind: "id,a,b", want: "c", reason: "a column that the blind file lacks, with few values"},
		{columns: "id=count a=few target=few c=few d=few", blind: "id,a,c", want: "target", reason: "a column that the blind file lacks, named like a label"},
		{columns: "id=count a=digit b=constant c=few", blind: "id,a,c", want: "c", reason: "the last column"},
		{columns: "id=count a=digit b=measure c=few", blind: "id,a,c", want: "b", reason: "the column that the blind file lacks"},
		{columns: "id=count a=few b=few", blind: "other,table", want: "b", reason: "the last column"},
		{
			columns: "id=count churned=few b=measure", want: "churned",
			reason: `named like a label; the last column, "b", has 60 different values in 60 rows`,
		},
		{columns: "id=count target=few const=constant", want: "target", reason: `named like a label; the last column, "const", has the same value in each row`},
		{columns: "id=count survived=few b=gappy", want: "survived", reason: `named like a label; the last column, "b", has rows without a value`},
		{columns: "id=count survived=few b=few", want: "survived", question: "survived,b"},
		{columns: "id=count class=few survived=few b=few", want: "class", question: "class,survived,b"},
		{columns: "id=count status=few b=few", want: "b", reason: "the last column"},
		{columns: "id=count status=few b=measure", want: "status", reason: `named like a label; the last column, "b", has 60 different values in 60 rows`},
		{columns: "id=count status=few class=few b=measure", want: "class", reason: `named like a label; the last column, "b", has 60 different values in 60 rows`},
		{columns: "id=count survived=name b=few", want: "b", reason: "the last column"},
		{columns: "id=count a=few b=measure", want: "b", reason: "the last column"},
	} {
		var blind *roles.Description
		if c.blind != "" {
			blind = roles.NewDescription(strings.Split(c.blind, ","))
		}
		r, question := roles.ChooseRoles(madeTable(t, c.columns), blind, roles.Options{})
		asked := ""
		if question != nil {
			asked = strings.Join(question.Candidates, ",")
		}
		if r.Label != c.want || asked != c.question || question == nil && r.LabelReason != c.reason {
			t.Errorf("%s, blind %s: the label is %q (%s), asked %q", c.columns, c.blind, r.Label, r.LabelReason, asked)
		}
	}
}

// TestEmptyLabelOfBlind checks that a column without values in the blind file is the label, unless
// another column is named like one. If several columns are empty or missing in the blind file, there
// must be a question.
func TestEmptyLabelOfBlind(t *testing.T) {
	for name, test := range map[string]struct{ train, blind, want, question string }{
		"in_the_middle":             {train: "id=count lives=few age=digit", blind: "id=count lives=empty age=digit", want: "lives: has no value in the blind file"},
		"instead_of_asking":         {train: "id=count survived=few age=digit", blind: "id=count survived=empty age=digit", want: "survived: has no value in the blind file"},
		"other_case":                {train: "id=count lives=few age=digit", blind: "id=count Lives=empty age=digit", want: "lives: has no value in the blind file"},
		"without_the_id":            {train: "id=count lives=few age=digit", blind: "lives=empty age=digit", want: "lives: has no value in the blind file"},
		"a_feature_is_empty":        {train: "id=count deck=few label=few", blind: "id=count deck=empty label=few", want: "label: the last column"},
		"empty_in_both":             {train: "id=count note=empty age=digit", blind: "id=count note=empty age=digit", want: "age: the last column"},
		"two_columns_are_empty":     {train: "id=count lives=few sex=few age=digit", blind: "id=count lives=empty sex=empty age=digit", question: "sex,lives"},
		"one_is_also_rare":          {train: "id=count lives=few deck=rare age=digit", blind: "id=count lives=empty deck=empty age=digit", want: "lives: has no value in the blind file"},
		"all_columns_are_empty":     {train: "id=count lives=few sex=few age=digit", blind: "id=count lives=empty sex=empty age=empty", want: "age: the last column"},
		"another_is_missing":        {train: "id=count a=digit lives=few town=few", blind: "id=count a=digit lives=empty", question: "lives,town"},
		"named_but_another_missing": {train: "id=count a=digit churn=few town=few", blind: "id=count a=digit churn=empty", question: "churn,town"},
		"the_label_is_missing":      {train: "id=count a=digit deck=few y=few", blind: "id=count a=digit deck=empty", want: "y: a column that the blind file lacks, named like a label"},
		"a_rare_column_is_empty":    {train: "id=count a=digit deck=rare town=few", blind: "id=count a=digit deck=empty", want: "town: the column that the blind file lacks"},
		"a_measurement_is_missing":  {train: "id=count a=digit lives=few m=measure", blind: "id=count a=digit lives=empty", want: "lives: has no value in the blind file"},
	} {
		got, question := roles.ChooseRoles(madeTable(t, test.train), madeTable(t, test.blind), roles.Options{})
		asked := ""
		if question != nil {
			asked = strings.Join(question.Candidates, ",")
		}
		if text := got.Label + ": " + got.LabelReason; asked != test.question || asked == "" && text != test.want {
			t.Errorf("%s: %s (asked %q), want %s (asked %q)", name, text, asked, test.want, test.question)
		}
	}
}

// TestEmptyLabelOfShortBlind checks that a column that is empty in a single blind row, which may be by
// chance, leads to no question.
func TestEmptyLabelOfShortBlind(t *testing.T) {
	train := madeTable(t, "id=count a=digit lives=few town=few")
	for rows, asked := range map[int]bool{1: false, 2: true} {
		got, question := roles.ChooseRoles(train, madeRows(t, "id=count a=digit lives=empty", rows), roles.Options{})
		if (question != nil) != asked || got.Label != "town" && !asked {
			t.Errorf("%d rows: %q, %v", rows, got.Label, question)
		}
	}
}

func TestOptionsDecide(t *testing.T) {
	table := madeTable(t, "id=count survived=few b=few c=few")
	for _, c := range []struct {
		given roles.Options
		want  roles.Roles
	}{
		{roles.Options{Label: "b", ID: "c"}, roles.Roles{ID: "c", Label: "b", IDReason: "named by --id", LabelReason: "named by --label"}},
		{roles.Options{GenerateID: true, Drop: []string{"c", "survived"}}, roles.Roles{GeneratedID: true, Label: "b", IDReason: "requested by --id -", LabelReason: "the last column", LabelAssumed: true}},
		{roles.Options{Drop: []string{"id", "survived"}}, roles.Roles{GeneratedID: true, Label: "c", IDReason: roles.NoIDColumnReason, LabelReason: "the last column", LabelAssumed: true}},
	} {
		got, question := roles.ChooseRoles(table, nil, c.given)
		if d := cmp.Diff(c.want, got); d != "" || question != nil {
			t.Error(d, question)
		}
	}
}

func TestBlind(t *testing.T) {
	known := roles.TrainingFile{ID: "id", Features: []string{"a", "b"}, Label: "y"}
	unnamed := roles.TrainingFile{ID: "id", GeneratedID: true, Features: []string{"a", "b"}, Label: "y"}
	model := roles.TrainingFile{Features: []string{"a", "b"}}
	for _, c := range []struct {
		columns string
		known   roles.TrainingFile
		given   roles.Options
		want    roles.BlindID
	}{
		{"id=code a=few b=few", known, roles.Options{}, roles.BlindID{ID: "id", IsTrainingID: true, Reason: "as in the training file"}},
		{"a=few b=few id=name", known, roles.Options{}, roles.BlindID{ID: "id", IsTrainingID: true, Reason: "as in the training file"}},
		{"a=few b=few", known, roles.Options{}, roles.BlindID{Generated: true, Reason: roles.NoIDColumnReason}},
		{"a=few b=few", known, roles.Options{ID: "id"}, roles.BlindID{Generated: true, Reason: roles.NoIDColumnReason}},
		{"a=few id=pairs b=few", known, roles.Options{}, roles.BlindID{ID: "id", IsTrainingID: true, Reason: "as in the training file"}},
		{"a=few id=pairs b=few", known, roles.Options{GenerateID: true}, roles.BlindID{Generated: true, Reason: "requested by --id -"}},
		{"key=name a=few b=few", known, roles.Options{}, roles.BlindID{ID: "key", Reason: "unique, and named like an ID"}},
		{"who=name a=few b=few", known, roles.Options{}, roles.BlindID{ID: "who", Reason: "unique, and not a feature"}},
		{"a=few b=few", unnamed, roles.Options{}, roles.BlindID{Generated: true, Reason: roles.NoIDColumnReason}},
		{"who=name a=few b=few", unnamed, roles.Options{}, roles.BlindID{Generated: true, Reason: roles.NoIDColumnReason}},
		{"No=count a=few b=few", unnamed, roles.Options{}, roles.BlindID{ID: "No", Reason: "unique, and named like an ID"}},
		{"a=shuffled b=few", model, roles.Options{}, roles.BlindID{Generated: true, Reason: roles.NoIDColumnReason}},
		{"who=name a=few b=few", model, roles.Options{}, roles.BlindID{ID: "who", Reason: "unique, and not a feature"}},
		{"ID=pairs a=few b=few", model, roles.Options{}, roles.BlindID{Generated: true, Reason: `"ID" has repeated values`}},
	} {
		got := roles.ChooseBlindID(madeTable(t, c.columns), c.known, c.given)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Error(c.columns, d)
		}
	}
}

// TestBlindWithoutRows checks that a column is the ID by its name if the file has no rows.
func TestBlindWithoutRows(t *testing.T) {
	for _, c := range []struct {
		columns string
		known   roles.TrainingFile
		want    roles.BlindID
	}{
		{"no,a", roles.TrainingFile{ID: "no", Features: []string{"a"}}, roles.BlindID{ID: "no", IsTrainingID: true, Reason: "as in the training file"}},
		{"ID,a", roles.TrainingFile{Features: []string{"a"}}, roles.BlindID{ID: "ID", Reason: "named like an ID"}},
		{"b,a", roles.TrainingFile{Features: []string{"a"}}, roles.BlindID{Generated: true, Reason: roles.NoIDColumnReason}},
	} {
		got := roles.ChooseBlindID(roles.NewDescription(strings.Split(c.columns, ",")), c.known, roles.Options{})
		if d := cmp.Diff(c.want, got); d != "" {
			t.Error(c.columns, d)
		}
	}
}

// TestNamesBesideTheID checks that a generated ID never has the name of a column of the file, and that
// only an ID has no name.
func TestNamesBesideTheID(t *testing.T) {
	for _, c := range []struct{ names, trainingID, want string }{
		{"a,b", "id", "id,a,b"},
		{"key,a", "key", "id,key_2,a"},
		{"id,a", "id", "id_2,id_3,a"},
		{"id,a", "key", "id_2,id,a"},
	} {
		id, names, _ := roles.NameGeneratedID(strings.Split(c.names, ","), c.trainingID)
		if got := id + "," + strings.Join(names, ","); got != c.want {
			t.Errorf("%s of a model with the ID %s: %s, want %s", c.names, c.trainingID, got, c.want)
		}
	}
	for _, c := range []struct {
		names, id string
		generated bool
		want      string
	}{
		{",a", "", false, ",a"},
		{",a", "a", false, "column_1,a"},
		{",column_1", "", true, "column_1_2,column_1"},
		{"a,", "", true, "a,"},
	} {
		names, _ := roles.NameFirstColumn(strings.Split(c.names, ","), c.id, c.generated)
		if got := strings.Join(names, ","); got != c.want {
			t.Errorf("%s with the ID %q: %s, want %s", c.names, c.id, got, c.want)
		}
	}
}

func TestUniqueAndMatchingNames(t *testing.T) {
	names, changed := roles.UniqueNames([]string{"", "a", "a", "a_2", "", "a"})
	if d := cmp.Diff([]string{"", "a", "a_3", "a_2", "column_5", "a_4"}, names); d != "" || len(changed) != 3 {
		t.Error(d, changed)
	}
	names, changed = roles.MatchTrainingNames([]string{"ID", "Age ", "x", "X", "new"}, []string{"id", "age", "x_", "b"})
	if d := cmp.Diff([]string{"id", "age", "x", "X", "new"}, names); d != "" || len(changed) != 2 {
		t.Error(d, changed)
	}
}

// TestCountOfTheFirstRows expects that a reason names the rows read if the file has more.
func TestCountOfTheFirstRows(t *testing.T) {
	for rows, want := range map[int]string{1999: "in 1999 rows", 2500: "in the first 2000 rows"} {
		r, _ := roles.ChooseRoles(madeRows(t, "id=count churned=few b=measure", rows), nil, roles.Options{})
		if !strings.HasSuffix(r.LabelReason, want) {
			t.Errorf("%d rows: %s, want %s", rows, r.LabelReason, want)
		}
	}
}
