package roles

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/table/csvfile"
)

// isIDName reports whether an ID column may have this name, such as id, key, index, no,
// customer_id or PassengerId. It accepts the empty name, which an index may have.
func isIDName(name string) bool {
	switch csvfile.NormalizeName(name) {
	case "key", "index", "nr", "no", "num", "number", "row", "rownum", "rownumber", "recordid", "unnamed0":
		return true
	}
	return name == "" || isSureIDName(name)
}

// isSureIDName reports whether a column with this name is nearly always the ID, at any
// position.
func isSureIDName(name string) bool {
	if csvfile.IsIDWord(name) {
		return true
	}
	last := strings.LastIndexFunc(name, func(char rune) bool { return !unicode.IsLetter(char) && !unicode.IsDigit(char) })
	if word := strings.ToLower(name[last+1:]); last >= 0 && (word == "id" || word == "key" || word == "uuid" || word == "guid") {
		return true
	}
	// In names such as customerID and PassengerId the last word is ID, unlike in PAID and
	// Madrid.
	stem := strings.TrimSuffix(strings.TrimSuffix(name, "Id"), "ID")
	before, _ := utf8.DecodeLastRuneInString(stem)
	return stem != name && (unicode.IsLower(before) || unicode.IsDigit(before))
}

// isLikelyIDName reports whether a column with this name, such as patient_no, Record Number,
// Kundennr., id client or uid, is the ID if its values are unique integers or codes. It returns
// false for names such as atomic number and phone number.
func isLikelyIDName(name string) bool {
	normalized := csvfile.NormalizeName(name)
	if slices.Contains(likelyIDNames, normalized) {
		return true
	}
	for _, word := range []string{"number", "nummer", "num", "no", "nr", "id", "ref", "numero", "numéro", "n"} {
		thing, isLast := strings.CutSuffix(normalized, word)
		if isLast && word != "n" && slices.Contains(numberedThings, thing) {
			return true
		}
		// French and Spanish names begin with such a word.
		if thing, isFirst := strings.CutPrefix(normalized, word); isFirst && slices.Contains(numberedThings, thing) {
			return true
		}
	}
	return false
}

// Names that isLikelyIDName knows, normalized by csvfile.NormalizeName. likelyIDNames are whole names.
// numberedThings precede or follow words such as number.
var (
	likelyIDNames  = []string{"uid", "gid", "fid", "pid", "oid", "mrn", "seqn", "respondent", "idnr", "idnumber", "idnummer", "identifiant", "iban", "ssn"}
	numberedThings = []string{
		"account", "admission", "application", "case", "claim", "client", "contract", "customer", "document", "employee", "entry",
		"household", "invoice", "loan", "member", "object", "observation", "obs", "order", "participant", "patient", "person",
		"policy", "record", "ref", "reference", "registration", "respondent", "roll", "sample", "sequence", "seq", "serial",
		"specimen", "staff", "student", "subject", "ticket", "transaction", "user", "visit",
		"auftrags", "beleg", "fall", "kd", "konto", "kunden", "lfd", "matrikel", "mitglieds", "patienten", "pers", "personal", "rechnungs", "vertrags",
		"cliente", "commande", "contrat", "contrato", "dossier", "facture", "factura", "paciente", "pedido",
	}
)

// Names of labels, normalized by csvfile.NormalizeName. A column with one of sureLabelNames is
// nearly always the label. A column with one of otherLabelNames may also be a feature.
var (
	sureLabelNames = []string{
		"label", "labels", "class", "target", "y", "outcome", "churn", "churned", "survived", "fraud", "isfraud",
		"diagnosis", "species", "spam", "isspam", "converted", "defaulted",
	}
	otherLabelNames = []string{
		"result", "response", "default", "category", "clicked", "approved", "status", "type", "group", "quality", "grade",
	}
)

// isLabelName reports whether a label may have this name.
func isLabelName(name string) bool {
	return isSureLabelName(name) || slices.Contains(otherLabelNames, csvfile.NormalizeName(name))
}

// isSureLabelName reports whether a column with this name is nearly always the label, at
// any position.
func isSureLabelName(name string) bool {
	return slices.Contains(sureLabelNames, csvfile.NormalizeName(name))
}
