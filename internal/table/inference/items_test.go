package inference_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
	"foretell/internal/table/tabletest"
)

// subset returns random items, in their order, at least one.
func subset(rng *rand.Rand, items []string) (chosen []string) {
	for len(chosen) == 0 {
		for _, item := range items {
			if rng.IntN(3) == 0 {
				chosen = append(chosen, item)
			}
		}
	}
	return chosen
}

// partsOf returns the features of p with the given extraction, as the text after the name of the column.
func partsOf(p *profile.Profile, extractions ...frame.Extraction) string {
	var names []string
	for i := range p.Schema.Columns {
		for _, one := range extractions {
			if c := &p.Schema.Columns[i]; c.Feature == one {
				names = append(names, strings.TrimPrefix(c.Name, "x"))
			}
		}
	}
	return strings.Join(names, " ")
}

func TestLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	languages := []string{"C", "C#", "C++", "Go", "R", "SQL"}
	const found = ".items :C :C# :C++ :Go :R :SQL"
	join := func(separator string) func(int) string {
		return func(int) string { return strings.Join(subset(rng, languages), separator) }
	}
	names := strings.Fields("Ann Ben Cleo Dan Eve Fred Gus Hana Ian Jo")
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	for _, c := range []struct {
		name, want string
		cell       func(i int) string
	}{
		{"semicolons", found, join(";")},
		{"bars", found, join("|")},
		{"commas", found, join(", ")},
		{"json", found, func(int) string { return `["` + strings.Join(subset(rng, languages), `", "`) + `"]` }},
		{"python", found, func(int) string { return `['` + strings.Join(subset(rng, languages), `', '`) + `']` }},
		{"postgres", found, func(int) string { return "{" + strings.Join(subset(rng, languages), ",") + "}" }},
		{"mostly_one_item", found, func(i int) string {
			if i%5 > 0 {
				return pick(languages)
			}
			return join(";")(i)
		}},
		{"rare_items", found, func(i int) string { return join(";")(i) + strings.Repeat(fmt.Sprintf(";rare%d", i), i%10/9) }},
		{"cities", "", func(int) string { return fmt.Sprintf("Town%d, %s", rng.IntN(60), pick(languages)) }},
		{"names", "", func(int) string { return pick([]string{"Smith", "Jones", "Brown", "White"}) + ", " + pick(names) }},
		{"sentences", "", func(i int) string {
			return fmt.Sprintf("%s saw %d dogs, %s saw %d, and nobody saw %s", pick(names), i, pick(names), i%7, pick(names))
		}},
		{"addresses", "", func(i int) string { return fmt.Sprintf("%d %s Street, Springfield, IL", i, pick(names)) }},
		{"answers_with_commas", "", func(int) string {
			return pick([]string{"Yes", "No", "Yes, but rarely", "No, not at all", "Yes, and often", "Perhaps, if possible"})
		}},
		{"pairs_of_numbers", "", func(int) string { return fmt.Sprintf("%d|%d", rng.IntN(12), rng.IntN(12)) }},
		{"triples_of_numbers", "", func(int) string { return fmt.Sprintf("[%d.5, -%d, %d]", rng.IntN(9), rng.IntN(9), rng.IntN(9)) }},
		{"lists_of_numbers", ".items :1 :2 :3 :4 :5", func(int) string { return strings.Join(subset(rng, strings.Fields("1 2 3 4 5")), "|") }},
		{"single_choices", "", func(int) string { return pick(languages) }},
		{"decimals", "", func(i int) string { return fmt.Sprintf("%d,%d", i, i%10) }},
		{"months", "", func(i int) string {
			return fmt.Sprintf("%d, %s", 1900+i%50, pick([]string{"Spring", "Summer", "Autumn", "Winter"}))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scanText(t, tabletest.Column(quoted(tabletest.Cells(600, c.cell))...), profile.ScanOptions{})
			if got := partsOf(p, frame.ExtractItem, frame.ExtractItems); got != c.want || !p.Schema.Valid() {
				t.Errorf("%q, want %q", got, c.want)
			}
			if c.want != "" && partsOf(p, frame.ExtractWord) != "" {
				t.Error("a list has features of words")
			}
		})
	}
}

// TestListWhoseTextsAreUnique has a feature for each item, but no category of the whole lists.
func TestListWhoseTextsAreUnique(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	letters := strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst", "")
	p := scanText(t, tabletest.Column(tabletest.Cells(300, func(int) string { return strings.Join(subset(rng, letters), ";") })...), profile.ScanOptions{})
	if got := p.Columns[0]; got.Features < len(letters) || len(p.Warnings) > 0 || p.Schema.Columns[len(p.Schema.Columns)-1].Word != "t" {
		t.Errorf("%d features, %v", got.Features, p.Warnings)
	}
}

// TestLimitOfItems has many items in several columns.
func TestLimitOfItems(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf("tag%02d", i))
	}
	for columns, want := range map[int]int{1: 60, 5: 40} {
		var file strings.Builder
		file.WriteString("id")
		for i := range columns {
			fmt.Fprintf(&file, ",x%d", i)
		}
		file.WriteString(",y\n")
		for row := range 200 {
			fmt.Fprint(&file, row)
			for range columns {
				file.WriteString("," + strings.Join(subset(rng, items), "|"))
			}
			fmt.Fprintf(&file, ",%c\n", 'a'+row%2)
		}
		p := scanText(t, file.String(), profile.ScanOptions{})
		if got := strings.Count(partsOf(p, frame.ExtractItem), "tag"); got != want*columns {
			t.Errorf("%d columns: %d items, want %d in each", columns, got, want)
		}
	}
}

func TestPrefixes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(list string) string { fields := strings.Fields(list); return fields[rng.IntN(len(fields))] }
	for _, c := range []struct {
		name, want string
		cell       func(i int) string
	}{
		{"diagnoses", ".prefix1 .prefix3", func(int) string { return fmt.Sprintf("%s%02d.%d", pick("E F I J"), rng.IntN(8), rng.IntN(10)) }},
		{"unique_parts", ".prefix2", func(i int) string { return fmt.Sprintf("%s-%05d", pick("AB AC DE DF GH"), (i*7919)%90_000) }},
		{"products", ".prefix3 .prefix6", func(i int) string {
			return fmt.Sprintf("%s-%s-%d", pick("FUR OFF TEC"), pick("AB BC CD"), 10_000+rng.IntN(90_000))
		}},
		{"flights", ".prefix2", func(int) string { return fmt.Sprintf("%s%d", pick("BA LH AF KL"), 10+rng.IntN(900)) }},
		{"addresses", ".prefix1 .prefix6", func(int) string {
			return fmt.Sprintf("%s.%d.%d", pick("10.2 85.14 172.16"), rng.IntN(200), rng.IntN(200))
		}},
		{"serial_numbers", "", func(i int) string { return fmt.Sprintf("K%04d", (i*7919)%9_973) }},
		{"sorted_codes", "", func(i int) string { return fmt.Sprintf("%c%03dX", 'A'+i/100, i%100) }},
		{"uuids", "", func(int) string {
			return fmt.Sprintf("%08x-%04x-%012x", rng.Uint32(), rng.IntN(1<<16), rng.Uint64()>>16)
		}},
		{"short_hex", "", func(int) string { return fmt.Sprintf("%06x", rng.IntN(1<<24)) }},
		{"repeated_hex", "", func(i int) string { return fmt.Sprintf("%06x", uint32(i%200+1)*0x9e3779b9>>8) }},
		{"repeated_uuid_parts", "", func(i int) string { h := fmt.Sprintf("%08x", uint32(i%150+1)*0x9e3779b9); return h[:4] + "-" + h[4:] }},
		{"hex_digits_with_a_meaning", ".prefix2", func(int) string { return fmt.Sprintf("%s%02d%02d", pick("AB AC BD"), rng.IntN(8), rng.IntN(100)) }},
		{"many_first_letters", ".prefix1", func(int) string { return fmt.Sprintf("%c%d", 'A'+rng.IntN(26), 100+rng.IntN(90)) }},
		{"random_ids", "", func(int) string {
			id := ""
			for range 9 {
				id += string("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[rng.IntN(36)])
			}
			return id
		}},
		{"few_codes", "", func(int) string { return fmt.Sprintf("%s%d", pick("A B C"), rng.IntN(10)) }},
		{"names", "", func(i int) string { return fmt.Sprintf("%s %c%c", pick("Ann Ben Cleo Dan"), 'A'+i%26, 'a'+i/26%26) }},
		{"numbers_with_units", "", func(i int) string { return fmt.Sprintf("%d %s", i, pick("kg miles litres")) }},
		{"streets", "", func(i int) string { return fmt.Sprintf("%d %s Street", i, pick("Main Oak High")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := scanText(t, tabletest.Column(quoted(tabletest.Cells(600, c.cell))...), profile.ScanOptions{})
			if got := partsOf(p, frame.ExtractPrefix); got != c.want || !p.Schema.Valid() {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
