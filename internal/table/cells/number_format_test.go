package cells

import (
	"testing"
)

func TestParseAmount(t *testing.T) {
	for _, c := range []struct {
		cell, unit string
		comma      bool
		want       float64
	}{
		{"1,234.5", "", false, 1234.5},
		{"-1,234,567", "", false, -1234567},
		{"$12.50", "$", false, 12.5},
		{"-$1,000", "$", false, -1000},
		{"$-.5", "$", false, -0.5},
		{"(1,000.25)", "", false, -1000.25},
		{"€ 5", "€", false, 5},
		{"12 €", "€", false, 12},
		{"US$3", "US$", false, 3},
		{"45%", "%", false, 45},
		{"36 months", "month", false, 36},
		{"1 Month", "month", false, 1},
		{"5.5kg", "kg", false, 5.5},
		{"10,000+", "", false, 10000},
		{"1.5M", "", false, 1.5e6},
		{"15k", "", false, 15e3},
		{"7", "kg", false, 7},
		{"1e3", "kg", false, 1000},
		{"1.234,5", "", true, 1234.5},
		{"0,5", "", true, 0.5},
		{"3,50 €", "€", true, 3.5},
		{"1.000", "", true, 1000},
		{"7'626.90", "", false, 7626.9},
		{"-1’234’567", "", false, -1234567},
		{"1'234,5", "", true, 1234.5},
		{"7\u202F626,90", "", true, 7626.9},
		{"7\u00A0626.90", "", false, 7626.9},
		{"7\u2009626", "", true, 7626},
		{"1\u202F234,50\u00A0€", "€", true, 1234.5},
		{"$\u00A05", "$", false, 5},
		{"\u22120.327", "", false, -0.327},
		{"\u2212$1,000", "$", false, -1000},
		{"€\u22123,5", "€", true, -3.5},
		{"\u20135.5", "", false, -5.5},
		{"€ \u20135", "€", false, -5},
		{"12,34,567", "", false, 1234567},
		{"-₹1,00,000.50", "₹", false, -100000.5},
		{"9,87,65,432", "", false, 98765432},
		{"Rs. 1,200", "rs.", false, 1200},
		{"Rs.500", "rs.", false, 500},
		{"USD 1,200", "usd", false, 1200},
		{"kr 190", "kr", false, 190},
		{"Kr. 1.200,50", "kr.", true, 1200.5},
		{"-USD\u00A01,200", "usd", false, -1200},
		{"1,200 USD", "usd", false, 1200},
		{"EUR 1.200,50", "eur", true, 1200.5},
		{"12.50-", "", false, -12.5},
		{"1.234,50-", "", true, -1234.5},
		{".5-", "", false, -0.5},
		{"€1,234-", "€", false, -1234},
		{"0.123*", "", false, 0.123},
		{"5.1[1]", "", false, 5.1},
		{"5.1 [a][12] **", "", false, 5.1},
		{"(7.5) †", "", false, -7.5},
		{"1,234 kg‡", "kg", false, 1234},
		{"12,5*", "", true, 12.5},
		{"1,23E+05", "", true, 123_000},
		{"-3,5e-2 €", "€", true, -0.035},
		{"1E+03", "", true, 1000},
		{",5E3", "", true, 500},
	} {
		form := NumberFormat{Unit: c.unit, DecimalComma: c.comma}
		if got, ok := form.Parse([]byte(c.cell)); !ok || got != c.want {
			t.Errorf("%s: %v %v, want %v", c.cell, got, ok, c.want)
		}
	}
	for _, cell := range []string{"", "kg", "5B", "5k", "12 lbs", "A12", "INV-7", "1,23", "12,3456", "1,2,3", "555-1234", "10-20", "1.2.3.4", "1 2", "$", "5 $ x kg", "12:30", "--5", "C85", "(5", "7'62", "7'6265", "1'234,567", "1,234'567", "1''234", "7 626", "'626", "5'11", "0,250", "-0,250", "00,250", "*", "[1]", "*5", "5[]", "5[1234]", "5[ab]", "5]", "[5", "5*x", "2*3", "123,45,678", "12,345,67", "1,234,56,789", "12.34.567", "0,12,345", "\u2013 5", "10\u201320", "\u2212\u22125", "\u2212-5", "\u2013-5", "-\u20135"} {
		if got, ok := (&NumberFormat{Unit: "kg"}).Parse([]byte(cell)); ok {
			t.Errorf("%s is read as %v", cell, got)
		}
	}
}

// TestNoExponent parses cells of a column with decimal commas that are not numbers with an exponent.
func TestNoExponent(t *testing.T) {
	for _, cell := range []string{"1.234E+05", "1.234,5E2", "1,5E", "1,5E+0,5", "1,5E999", "1,5EE3", "1,5F3"} {
		if got, ok := (&NumberFormat{DecimalComma: true}).Parse([]byte(cell)); ok {
			t.Errorf("%s is read as %v", cell, got)
		}
	}
	if got, _, ok := ParseAmount([]byte("1,234E+05"), false); ok {
		t.Errorf("1,234E+05 with a decimal point is read as %v", got)
	}
}

// TestHyphenAfterDigitsIsNoMinus parses grades, open ranges and codes, whose hyphen is not a sign.
func TestHyphenAfterDigitsIsNoMinus(t *testing.T) {
	for _, cell := range []string{"2-", "65-", "2005-", "$50-", "2-*", "12.5--", "-12.5-", "(12.5-)", "12.5 -"} {
		for _, comma := range []bool{false, true} {
			if got, _, ok := ParseAmount([]byte(cell), comma); ok {
				t.Errorf("%s is read as %v", cell, got)
			}
		}
		if got := NumberOrNaN([]byte(cell)); got == got {
			t.Errorf("%s is the number %v", cell, got)
		}
	}
	if got := NumberOrNaN([]byte("12.50-")); got != -12.5 {
		t.Errorf("12.50- is the number %v", got)
	}
}

// TestCodesBeforeDigitsAreNoCurrencies parses codes that begin with the letters of a currency.
func TestCodesBeforeDigitsAreNoCurrencies(t *testing.T) {
	for _, cell := range []string{"rs1200", "rs 1200", "Rs1200", "USD7", "USD-7", "INR/7", "US 7", "Rs.. 7", "USD 7 kg", "USD USD 7"} {
		if got, unit, ok := ParseAmount([]byte(cell), false); ok {
			t.Errorf("%s is read as %v %s", cell, got, unit)
		}
	}
}

// FuzzParseAmount checks that any cell is parsed without a panic.
func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{"$1,234.50", "(5)", "1.234,5 €", "36 months", "1.5M+", "+", ".", "1..", "1,5E+03"} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, cell []byte, comma bool) {
		if value, _, ok := ParseAmount(cell, comma); ok && value != value {
			t.Fatalf("%q is read as NaN", cell)
		}
	})
}
