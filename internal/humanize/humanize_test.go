package humanize

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "row", "0 rows"},
		{1, "row", "1 row"},
		{2, "class", "2 classes"},
		{999, "row", "999 rows"},
		{1000, "row", "1,000 rows"},
		{1234567, "row", "1,234,567 rows"},
	} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("Count(%d, %q) = %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

func TestQuotedList(t *testing.T) {
	const want = `"a, b", "c" and 1 more`
	if got := QuotedList([]string{"a, b", "c", "d"}, 2); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]string{1: "a and 2 more", 2: "a, b and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := List([]string{"a", "b", "c"}, most); got != want {
			t.Errorf("List of at most %d is %q, want %q", most, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for share, want := range map[float64]string{
		0: "0 %", 1e-9: "<0.1 %", 0.0005: "0.1 %", 0.004: "0.4 %", 0.01: "1 %", 0.125: "12 %", 0.99: "99 %", 0.998: "99.8 %", 0.99999: "99.9 %", 1: "100 %",
	} {
		if got := Percent(share); got != want {
			t.Errorf("Percent(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"":                          "",
		"wrong email or password":   "Wrong email or password.",
		"there is no series \"a\"":  "There is no series \"a\".",
		"The file has no rows.":     "The file has no rows.",
		"datasetName: is required":  "Dataset name: is required.",
		"password: must be longer":  "Password: must be longer.",
		"email missing":             "Email missing.",
		"blind.csv does not match":  "blind.csv does not match.",
		"ann@example.org is known":  "ann@example.org is known.",
		"line 3, column 2: no text": "Line 3, column 2: no text.",
		"état inconnu…":             "État inconnu…",
	} {
		if got := Sentence(message); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", message, got, want)
		}
	}
}

func TestJoinedItems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		items        []string
		all, choices string
	}{
		{nil, "", ""},
		{[]string{"a"}, "a", "a"},
		{[]string{"a", "b"}, "a and b", "a or b"},
		{[]string{"a", "b", "c"}, "a, b and c", "a, b or c"},
	} {
		if all, choices := JoinAnd(c.items), JoinOr(c.items); all != c.all || choices != c.choices {
			t.Errorf("%q: %q and %q, want %q and %q", c.items, all, choices, c.all, c.choices)
		}
	}
}
