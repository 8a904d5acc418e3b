package frame

import "testing"

// TestLevelIndex finds the codes of cells whose case differs from that of the levels.
func TestLevelIndex(t *testing.T) {
	for name, c := range map[string]struct {
		column ColumnSchema
		cell   string
		want   int32
	}{
		"boolean":               {ColumnSchema{Levels: []string{"False", "True"}}, "TRUE", 1},
		"boolean_with_spaces":   {ColumnSchema{Levels: []string{"no", "yes"}}, " No ", 0},
		"exact_match_first":     {ColumnSchema{Levels: []string{"FALSE", "TRUE", "True", "true"}}, "true", 3},
		"one_of_several":        {ColumnSchema{Levels: []string{"FALSE", "TRUE", "True"}}, "true", 1},
		"another_word":          {ColumnSchema{Levels: []string{"False", "True"}}, "yes", 2},
		"missing":               {ColumnSchema{Levels: []string{"False", "True"}}, " ", Missing},
		"category":              {ColumnSchema{Levels: []string{"Blue", "Red"}}, "red", 2},
		"three_words":           {ColumnSchema{Levels: []string{"Maybe", "No", "Yes"}}, "yes", 3},
		"code_as_decimal":       {ColumnSchema{Levels: []string{"12", "7"}, Feature: ExtractText}, "7.0", 1},
		"code_as_integer":       {ColumnSchema{Levels: []string{"12.0", "7.0"}, Feature: ExtractText}, "7", 1},
		"unknown_code":          {ColumnSchema{Levels: []string{"12", "7"}, Feature: ExtractText}, "70", 2},
		"number_of_a_category":  {ColumnSchema{Levels: []string{"12", "x"}}, "12.0", 2},
		"code_without_zeros":    {ColumnSchema{Levels: []string{"07030", "00501"}, Feature: ExtractText}, "7030", 0},
		"code_with_zeros":       {ColumnSchema{Levels: []string{"7030", "501"}, Feature: ExtractText}, "00501", 1},
		"code_with_comma":       {ColumnSchema{Levels: []string{"1234", "501"}, Feature: ExtractText}, "1,234", 0},
		"code_with_sign":        {ColumnSchema{Levels: []string{"1234", "7"}, Feature: ExtractText}, "+7", 1},
		"code_with_spaces":      {ColumnSchema{Levels: []string{"07030", "7"}, Feature: ExtractText}, "\u00a007030\u00a0", 0},
		"code_of_two_levels":    {ColumnSchema{Levels: []string{"07", "7", "8"}, Feature: ExtractText}, "007", 3},
		"long_code":             {ColumnSchema{Levels: []string{"9007199254740993"}, Feature: ExtractText}, "09007199254740992", 1},
		"zeros_of_a_category":   {ColumnSchema{Levels: []string{"07030", "x"}}, "7030", 2},
		"word_for_missing":      {ColumnSchema{Levels: []string{"Blue", "Red"}}, " NA", Missing},
		"null_is_missing":       {ColumnSchema{Levels: []string{"12", "x"}, Feature: ExtractText}, "NULL", Missing},
		"null_beside_words":     {ColumnSchema{Levels: []string{"closed", "x"}, Feature: ExtractText}, "NULL", 2},
		"level_NA":              {ColumnSchema{Levels: []string{"Blue", "NA"}}, "NA", 1},
		"words_between_numbers": {ColumnSchema{Levels: []string{"No", "Yes"}, Feature: ExtractText}, "yes", 2},
	} {
		if got := newLevelIndex(&c.column).code([]byte(c.cell)); got != c.want {
			t.Errorf("%s: code %d, want %d", name, got, c.want)
		}
	}
}
