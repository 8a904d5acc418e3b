package cells

// currencySymbols are the symbols of the currencies that are also written in letters.
var currencySymbols = map[string]string{
	"eur": "€", "euro": "€",
	"usd": "$", "us$": "$", "US$": "$",
	"gbp": "£",
}

// CanonicalUnit returns the same text for units that mean the same, such as € and eur. unit is a
// unit that [ParseAmount] has returned.
func CanonicalUnit(unit string) string {
	if symbol, found := currencySymbols[unit]; found {
		return symbol
	}
	return unit
}
