package scoring

import (
	"fmt"
	"slices"
	"strconv"

	"foretell/internal/table/csvfile"
)

// commonIDName returns the name of the column by which the rows of several files are joined. names
// and others are the column names of the files. The column is the first column of names or, if
// another file lacks this column, the first column of another file. It must be in all files. If it
// is only an index, a column of all files whose name is a word for an ID is preferred. If there is
// no such column, commonIDName returns names[0].
func commonIDName(names []string, others ...[]string) string {
	files := append([][]string{names}, others...)
	inAll := func(name string) bool {
		return !slices.ContainsFunc(files, func(file []string) bool { return idIndex(file, name) < 0 })
	}
	for _, file := range files {
		name := file[0]
		if at := slices.IndexFunc(file, func(other string) bool { return csvfile.IsIDWord(other) && inAll(other) }); isIndexName(name) && at >= 0 {
			return file[at]
		}
		if inAll(name) {
			return name
		}
	}
	return names[0]
}

// isIndexName reports whether a name is that of an index: "", or Unnamed: 0, which pandas writes for "".
func isIndexName(name string) bool { return name == "" || name == "Unnamed: 0" }

// indexReason returns the reason for joining the rows by their order if both files have the same
// consecutive numbers in an index. Otherwise it returns "". id is the name of the column.
func indexReason(id string, ids, others []string) string {
	if !isIndexName(id) || len(ids) == 0 || !slices.Equal(ids, others) {
		return ""
	}
	start, err := strconv.Atoi(ids[0])
	for i, one := range ids {
		if err != nil || one != strconv.Itoa(start+i) {
			return ""
		}
	}
	return "the first column, which has no name, only has the numbers of the rows"
}

// idIndex returns the position of the column that has the name of an ID column, or -1 if there is
// none. Only a first column without a name can have IDs, because spreadsheets write empty columns
// without names.
func idIndex(names []string, id string) (index int) {
	if id == "" && (len(names) == 0 || names[0] != "") {
		return -1
	}
	return slices.Index(names, id)
}

// findIDColumn returns the position of the ID column and sets p.id, or returns -1 if the rows are
// joined by their order. labelColumn is the position of the predicted labels. See readPredictions for
// idName.
func (p *predictions) findIDColumn(predictionsTable *table, labelColumn int, idName string, opts Options) (index int, err error) {
	if opts.InOrder {
		return -1, nil
	}
	at := idIndex(p.names, idName)
	if labelColumn == 0 || at == labelColumn {
		at = 0
	}
	if at, err = predictionsTable.columnIndex(opts.ID, "ID", max(at, 0)); err != nil {
		return -1, err
	}
	if at == labelColumn { // the file has only predictions
		p.orderReason = "the predictions have no column of IDs"
		return -1, nil
	}
	p.id = p.names[at]
	return at, nil
}

// findIDColumnOrDropIDs returns the position of the ID column of the answers. It returns -1 if the
// rows must be joined by their order: if p has no IDs, or if its IDs were generated and the answers
// lack their column. In the second case it removes the IDs from p. It returns a *Fault if the ID is
// the column of the label, which is at the position labelColumn.
func (a *answers) findIDColumnOrDropIDs(answersTable *table, p *predictions, labelColumn int, opts Options) (index int, err error) {
	if p.ids == nil {
		return -1, nil
	}
	at := idIndex(answersTable.names, p.id)
	if opts.ID == "" && at < 0 && areGeneratedIDs(p.ids) {
		p.ids = nil
		p.orderReason = fmt.Sprintf("the answers lack the column %s of the predictions' generated IDs", quote(p.id))
		return -1, nil
	}
	id, err := answersTable.columnIndex(opts.ID, "ID", max(at, 0))
	if err == nil && id == labelColumn {
		err = answersTable.newFault(1, "the only column that could be the ID, %s, is the label", quote(answersTable.names[id]))
	}
	return id, err
}

// areGeneratedIDs reports whether the IDs are r1, r2, …, which are generated for a table without
// an ID column.
func areGeneratedIDs(ids []string) bool {
	for i, id := range ids {
		if id != "r"+strconv.Itoa(i+1) {
			return false
		}
	}
	return true
}
