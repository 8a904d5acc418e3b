package dashboard

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"foretell/internal/api"
)

// formField is a field of a form.
type formField struct {
	// Name is the name of the field in requests of the API, or in the form if the API has no such
	// field. ID is the ID of its element, and Label the text beside it.
	Name, ID, Label string
}

// fieldError is the message about a rejected field. ID and Label are copied from the [formField].
type fieldError struct{ ID, Label, Message string }

// NoteID returns the ID of the element with the message beside the field.
func (e fieldError) NoteID() string { return e.ID + "-error" }

// MissingFullStop returns "." if the message does not end with a punctuation mark, and "" otherwise.
func (e fieldError) MissingFullStop() string {
	if strings.HasSuffix(e.Message, ".") || strings.HasSuffix(e.Message, "?") || strings.HasSuffix(e.Message, "…") {
		return ""
	}
	return "."
}

// fieldErrors are the messages about the rejected fields of a form, in the order of the form.
type fieldErrors []fieldError

// Find returns the message about the field with this ID, or nil if the field was not rejected.
func (list fieldErrors) Find(id string) *fieldError {
	i := slices.IndexFunc(list, func(e fieldError) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Attributes returns the HTML attributes that connect a form element with the texts that describe
// it. id is the ID of the element. The texts are the elements with the IDs in hints and, if the
// field was rejected, the message about it. The first rejected field of the form also gets the
// focus. All IDs must be constants of a template.
func (list fieldErrors) Attributes(id string, hints ...string) template.HTMLAttr {
	text := ""
	if e := list.Find(id); e != nil {
		text, hints = `aria-invalid="true" `, append([]string{e.NoteID()}, hints...)
		if e == &list[0] {
			text = "autofocus " + text
		}
	}
	if len(hints) > 0 {
		text += `aria-describedby="` + strings.Join(hints, " ") + `"`
	}
	return template.HTMLAttr(text)
}

// setProblem makes the page show why a form with these fields was rejected. It does nothing if
// problem is nil. If an error in problem is about none of the fields, the page shows only the detail
// of problem, without messages beside fields.
func (c *page) setProblem(problem *api.Problem, fields []formField) {
	if problem == nil {
		return
	}
	c.Error = problem.Detail
	var list fieldErrors
	for _, field := range fields {
		for _, e := range problem.Errors {
			if e.Field == field.Name && list.Find(field.ID) == nil {
				list = append(list, fieldError{field.ID, field.Label, readableFieldMessage(e.Message)})
			}
		}
	}
	if len(list) == len(problem.Errors) {
		c.Fields = list
	}
}

// readableFieldMessage returns the text that the page shows for a message of the API about a field.
// The text is readable both alone and after the label of the field.
func readableFieldMessage(message string) string {
	if message == "is required" {
		return "fill in this field"
	}
	return message
}

// statusOf returns the HTTP status of a page whose form was rejected because of problem, or
// 200 if problem is nil.
func statusOf(problem *api.Problem) int {
	if problem == nil {
		return http.StatusOK
	}
	return problem.Status
}
