package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// marshalJSON writes v as JSON. Unlike package encoding/json, it does not check the result of a
// method MarshalJSON. This result must be compact JSON.
func marshalJSON(w io.Writer, v any) error {
	m, ok := v.(json.Marshaler)
	if !ok {
		return huma.DefaultJSONFormat.Marshal(w, v)
	}
	b, err := m.MarshalJSON()
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// numberMessage is in the message of unmarshalJSON for a number that does not fit its field. The
// message begins with the name of the field. It ends with notInteger if the field is an integer.
const (
	numberMessage = "\x1f the number is too large"
	notInteger    = " or not an integer"
)

// unmarshalJSON is like json.Unmarshal, but rejects repeated members and invalid UTF-8, and accepts
// integers such as 8.0, as JSON Schema does. Its errors contain no Go types and no values.
func unmarshalJSON(data []byte, v any) error {
	if err := checkJSON(data); err != nil {
		return err
	}
	err := json.Unmarshal(data, v)
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("invalid JSON: error at byte %d", syntax.Offset)
	case errors.As(err, &mismatch):
		if data, ok := rewriteInteger(data, mismatch); ok {
			return unmarshalJSON(data, v)
		}
		field := mismatch.Field
		if field == "" {
			field = jsonMemberAt(data, mismatch.Offset)
		}
		if mismatch.Type.Kind() == reflect.Float64 {
			return errors.New(field + numberMessage)
		}
		return errors.New(field + numberMessage + notInteger)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("invalid JSON: unexpected end")
	default:
		return errors.New("invalid JSON for this request")
	}
}

// rewriteInteger returns a copy of data in which the number that caused the mismatch is written
// without a fraction and an exponent: 8.0 and 0.8e1 become 8. It returns false if this is not
// possible.
func rewriteInteger(data []byte, mismatch *json.UnmarshalTypeError) (rewritten []byte, ok bool) {
	literal, isNumber := strings.CutPrefix(mismatch.Value, "number ")
	number, err := strconv.ParseFloat(literal, 64)
	text := strconv.FormatFloat(number, 'f', -1, 64)
	before, found := bytes.CutSuffix(data[:mismatch.Offset], []byte(literal))
	const maxExact = 1 << 53 // larger numbers may not be the integer that was sent
	if !isNumber || err != nil || !found || text == literal || number != math.Trunc(number) || math.Abs(number) > maxExact {
		return nil, false
	}
	return slices.Concat(before, []byte(text), data[mismatch.Offset:]), true
}

// checkJSON returns an error if a member is repeated or the UTF-8 is invalid. json.Unmarshal would
// use the last of the repeated members, but other programs may use the first. For other syntax
// errors, checkJSON returns nil, because json.Unmarshal reports them.
func checkJSON(data []byte) error {
	_, err := jsontext.NewDecoder(bytes.NewReader(data)).ReadValue()
	var syntax *jsontext.SyntacticError
	switch {
	case !errors.As(err, &syntax):
		return nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("invalid JSON: the member %q is repeated", syntax.JSONPointer.LastToken())
	case strings.Contains(syntax.Err.Error(), "UTF-8"), strings.Contains(syntax.Err.Error(), "surrogate"):
		return fmt.Errorf("invalid JSON: invalid UTF-8 at byte %d", syntax.ByteOffset)
	}
	return nil
}

// jsonMemberAt returns the path of the JSON member at an offset, such as "quota.bytes", or "body"
// if there is none. It is the last member that begins before the offset.
func jsonMemberAt(data []byte, offset int64) string {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	member := "body"
	for {
		if _, err := d.ReadToken(); err != nil || d.InputOffset() > offset {
			return member
		}
		if path := strings.Trim(string(d.StackPointer()), "/"); path != "" {
			member = strings.ReplaceAll(path, "/", ".")
		}
	}
}
