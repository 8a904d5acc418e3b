package profile

import (
	"slices"
	"strings"

	"foretell/internal/table/inference"
)

// groupWords are words in the names of columns that identify groups of rows, such as the rows of
// one customer: English words, and the most frequent words in other languages.
var groupWords = []string{
	"account", "animal", "client", "company", "customer", "device", "donor", "driver", "employee", "family", "hospital", "household", "litter",
	"machine", "member", "mrn", "participant", "passenger", "patient", "person", "player", "provider", "respondent", "session", "specimen",
	"student", "subject", "user", "vehicle", "visitor",
	"debitor", "debitoren", "geschaeftspartner", "geschäftspartner", "kunde", "kunden", "maschine", "maschinen", "mitarbeiter", "mitglied", "mitglieds",
	"nutzer", "patienten", "proband", "probanden", "schueler", "schüler", "teilnehmer", "versicherten", "vertragskonto",
	"employé", "utilisateur", "élève",
	"alumno", "cliente", "empleado", "paciente", "usuario",
}

// germanNumberEndings are the endings of German words for a number that identifies something, such as
// Kundennummer.
var germanNumberEndings = []string{"nummer", "nr"}

// numberedWords are words that identify groups only together with a word for a number or an ID, as
// in Fallnummer, Kd-Nr. and mouse_id. On their own, they have other meanings.
var numberedWords = []string{"fall", "gp", "kd", "konto", "matrikel", "mouse", "pat", "pers", "personal", "vertrag", "vertrags", "zaehler", "zähler"}

// Words beside a group word in the name of a column. If one of identifierWords comes last, as in
// customer_unique_id, the name still means the group. Any other word after the group word changes
// the meaning: user_timezone does not identify a user. If one of quantityWords precedes the group
// word, the name means a quantity, as in YearsAtCompany.
var (
	identifierWords = []string{
		"code", "email", "guid", "hash", "id", "identifier", "ids", "index", "key", "login", "name", "nbr", "no", "nr", "num", "number", "nummer",
		"plate", "ref", "reference", "row", "rownum", "rownumber", "serial", "uuid", "vin",
	}
	quantityWords = []string{
		"age", "amount", "at", "average", "avg", "count", "days", "duration", "hours", "mean", "minutes", "months", "no", "num", "number", "per",
		"seconds", "since", "tenure", "total", "weeks", "with", "years",
	}
)

// isGroupName reports whether the name of a column, such as customer_id or customerId, means
// something that may have several rows.
func isGroupName(name string) bool {
	words := inference.NameWords(name)
	for i, word := range words {
		isNumbered := i+1 < len(words) && slices.Contains([]string{"id", "no", "nr", "number", "nummer"}, words[i+1])
		if !isGroupWord(word) && (!isNumbered || !slices.Contains(numberedWords, word)) {
			continue
		}
		isOther := func(word string) bool {
			return !slices.Contains(identifierWords, word) && !slices.Contains(groupWords, word)
		}
		after := words[i+1:]
		isIdentifier := len(after) > 0 && slices.Contains(identifierWords, after[len(after)-1])
		isQuantity := func(word string) bool { return slices.Contains(quantityWords, word) }
		if (isIdentifier || !slices.ContainsFunc(after, isOther)) && !slices.ContainsFunc(words[:i], isQuantity) {
			return true
		}
	}
	return false
}

// isGroupWord reports whether word is one of groupWords, or consists of one of groupWords or
// numberedWords and one of germanNumberEndings, as in kundennummer.
func isGroupWord(word string) bool {
	for _, ending := range germanNumberEndings {
		if stem, found := strings.CutSuffix(word, ending); found && (slices.Contains(numberedWords, stem) || slices.Contains(groupWords, stem)) {
			return true
		}
	}
	return slices.Contains(groupWords, word)
}

// hasWord reports whether name, such as customer_id or customerId, contains one of words
// as a separate word.
func hasWord(name string, words []string) bool {
	return slices.ContainsFunc(inference.NameWords(name), func(word string) bool { return slices.Contains(words, word) })
}
