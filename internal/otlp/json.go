package otlp

import (
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The types below are the JSON form of ExportTraceServiceRequest, version 1 of OTLP:
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. IDs are in hex, and
// integers of 64 bits are strings.
type (
	exportRequest struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   attributeSet `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []jsonSpan `json:"spans"`
	}
	scope struct {
		Name string `json:"name"`
	}
	jsonSpan struct {
		TraceID           string      `json:"traceId"`
		SpanID            string      `json:"spanId"`
		ParentSpanID      string      `json:"parentSpanId,omitempty"`
		TraceState        string      `json:"traceState,omitempty"`
		Flags             uint32      `json:"flags"`
		Name              string      `json:"name"`
		Kind              int         `json:"kind"`
		Start             string      `json:"startTimeUnixNano"`
		End               string      `json:"endTimeUnixNano"`
		Attributes        []keyValue  `json:"attributes,omitempty"`
		DroppedAttributes int         `json:"droppedAttributesCount,omitempty"`
		Events            []spanEvent `json:"events,omitempty"`
		Status            spanStatus  `json:"status"`
	}
	spanEvent struct {
		Time       string     `json:"timeUnixNano"`
		Name       string     `json:"name"`
		Attributes []keyValue `json:"attributes,omitempty"`
	}
	spanStatus struct {
		Code    int    `json:"code,omitempty"` // 1 is OK, 2 is an error
		Message string `json:"message,omitempty"`
	}
	attributeSet struct {
		Attributes []keyValue `json:"attributes"`
	}
	keyValue struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"` // has one member, whose name is the type of the value
	}
)

// toRequest returns the request that exports spans. They share one resource and one scope,
// because all spans of the program have the scope span.Scope.
func toRequest(spans []sdktrace.ReadOnlySpan) *exportRequest {
	first := spans[0]
	out := scopeSpans{Scope: scope{first.InstrumentationScope().Name}}
	for _, s := range spans {
		out.Spans = append(out.Spans, toSpan(s))
	}
	return &exportRequest{[]resourceSpans{{
		Resource: attributeSet{toKeyValues(first.Resource().Attributes())}, ScopeSpans: []scopeSpans{out},
	}}}
}

func toSpan(s sdktrace.ReadOnlySpan) jsonSpan {
	own := s.SpanContext()
	out := jsonSpan{
		TraceID: own.TraceID().String(), SpanID: own.SpanID().String(), TraceState: own.TraceState().String(), Flags: uint32(own.TraceFlags()),
		Name: s.Name(), Kind: int(s.SpanKind()), Start: formatNanos(s.StartTime()), End: formatNanos(s.EndTime()),
		Attributes: toKeyValues(s.Attributes()), DroppedAttributes: s.DroppedAttributes(),
	}
	if s.Parent().HasSpanID() {
		out.ParentSpanID = s.Parent().SpanID().String()
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, spanEvent{formatNanos(e.Time), e.Name, toKeyValues(e.Attributes)})
	}
	switch status := s.Status(); status.Code {
	case codes.Ok:
		out.Status.Code = 1
	case codes.Error:
		out.Status = spanStatus{2, status.Description}
	}
	return out
}

func formatNanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func toKeyValues(attributes []attribute.KeyValue) []keyValue {
	var out []keyValue
	for _, a := range attributes {
		out = append(out, keyValue{string(a.Key), toValue(a.Value)})
	}
	return out
}

// toValue converts a value of a type that this program uses. Values of other types become texts.
func toValue(v attribute.Value) map[string]any {
	switch v.Type() {
	case attribute.BOOL:
		return map[string]any{"boolValue": v.AsBool()}
	case attribute.INT64:
		return map[string]any{"intValue": strconv.FormatInt(v.AsInt64(), 10)}
	case attribute.FLOAT64:
		return map[string]any{"doubleValue": v.AsFloat64()}
	}
	return map[string]any{"stringValue": v.String()}
}
