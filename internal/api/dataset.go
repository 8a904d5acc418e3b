package api

import (
	"encoding/json"
	"slices"
	"strings"
)

// The limits of the size of an uploaded CSV, in bytes.
const (
	MaxAddDataBytes = 32 << 20    // maximum of AddData
	MinUploadBytes  = 10          // minimum of UploadData
	MaxUploadBytes  = 534_773_760 // maximum of UploadData and CreatePrediction
)

// DefaultBuckets is the default number of bins of a numeric feature.
const DefaultBuckets = 64

// The states of a dataset: PENDING → PROCESSING → COMPLETED | FAILED.
const (
	DatasetPending    = "PENDING"
	DatasetProcessing = "PROCESSING"
	DatasetCompleted  = "COMPLETED"
	DatasetFailed     = "FAILED"
)

// internalFailurePrefix begins the failureReason of a dataset, race or prediction that FAILED
// because of a fault of the service. Other reasons do not have this prefix.
const internalFailurePrefix = "an internal error: "

// InternalFailure is the failureReason after a fault of a service that has a log. The log has the
// cause under the key of the dataset, race or prediction.
const InternalFailure = internalFailurePrefix + "the service's log has the cause under this key"

// EmbeddedFailure returns the failureReason after a fault of a service that runs in the process of
// a command. Its user has no log of the service, so the reason contains the cause.
func EmbeddedFailure(cause error) string {
	return internalFailurePrefix + strings.ReplaceAll(cause.Error(), "\n", "; ")
}

// IsInternalFailure reports whether a failureReason is about a fault of the service. It returns
// false for other reasons, such as a defect of the CSV.
func IsInternalFailure(reason string) bool { return strings.HasPrefix(reason, internalFailurePrefix) }

// QuotaPrefix begins the message of an error with CodeQuota. It also begins the failureReason of a
// dataset that FAILED because its file, which was sent to an object store, exceeds the quota.
const QuotaPrefix = "the account's quota for "

// IsQuotaFailure reports whether a failureReason says that the file exceeds the quota of the account.
func IsQuotaFailure(reason string) bool { return strings.HasPrefix(reason, QuotaPrefix) }

// RestoreFileAdvice is in the message of an error with CodeDamaged about a stored file. It is also in
// the failureReason of a prediction that FAILED because the file is missing or damaged.
const RestoreFileAdvice = "restore the file from a backup"

// IsDamagedFileFailure reports whether a failureReason says that a stored file is missing or damaged.
func IsDamagedFileFailure(reason string) bool { return strings.Contains(reason, RestoreFileAdvice) }

// DatasetInput identifies a dataset.
type DatasetInput struct {
	DatasetKey string `path:"datasetKey" format:"uuid" doc:"The dataset's key."`
}

// UploadInput has the parameters of the upload URL that [CreateDataset] returned. The URL is valid
// until Expires. Signature protects Expires against changes.
type UploadInput struct {
	DatasetInput
	Expires   int64  `query:"expires" doc:"When the URL expires, in Unix seconds."`
	Signature string `query:"signature" doc:"Shows that the service issued the URL."`
}

// ListDatasetsInput is the request of [ListDatasets].
type ListDatasetsInput struct {
	PageInput
	State              string `query:"state" enum:"PENDING,PROCESSING,COMPLETED,FAILED" doc:"Only datasets in this state."`
	WithModelOnly      bool   `query:"withModelOnly" doc:"Only datasets that have a model."`
	WithPredictionOnly bool   `query:"withPredictionOnly" doc:"Only datasets that have a prediction. An extension."`
}

// CreateDatasetInput is the request of [CreateDataset].
type CreateDatasetInput struct {
	Body NewDataset
}

// The limits of the members of [NewDataset], which its tags repeat for the OpenAPI document. Lengths are
// in characters. The limits of a name also hold for the name of a series.
const (
	MinNameLength        = 3
	MaxNameLength        = 30
	MinDescriptionLength = 3
	MaxDescriptionLength = 150
	MinBuckets           = 4
	MaxBuckets           = 100
)

// NewDataset describes a dataset to create.
type NewDataset struct {
	DatasetName string  `json:"datasetName" minLength:"3" maxLength:"30" doc:"Unique within the account; 3 to 30 characters, without control characters, not only blanks. Stored in Unicode normalization form C."`
	Description *string `json:"description,omitempty" nullable:"true" minLength:"3" maxLength:"150" doc:"Plain text of 3 to 150 characters."`
	// Series is the name of the series that the dataset belongs to. Nil defaults to
	// DatasetName.
	Series *string `json:"series,omitempty" nullable:"true" minLength:"3" maxLength:"30" doc:"The name of the series that the dataset belongs to. The models of a series have consecutive versions, and one of them is the champion. Defaults to datasetName."`
	// FileName is the name of the file that will be uploaded. It may be empty.
	FileName string `json:"fileName,omitempty" maxLength:"255" doc:"The name of the file that will be uploaded, for receipts. An extension."`
	// NumberOfBuckets is the number of bins of each numeric feature for BSEV02 and
	// MSEV02. Nil lets the service choose.
	NumberOfBuckets *int `json:"numberOfBuckets,omitempty" nullable:"true" minimum:"4" maximum:"100" doc:"Number of bins of each numeric feature for BSEV02 and MSEV02."`
}

// CreatedDataset is the response of [CreateDataset].
type CreatedDataset struct {
	DatasetKey                 string     `json:"datasetKey" doc:"The new dataset's key."`
	NumberOfBuckets            int        `json:"numberOfBuckets" doc:"The requested number of bins, or the service's default."`
	Status                     string     `json:"status" doc:"PENDING"`
	DatasetCreationProgressURL string     `json:"datasetCreationProgressUrl" doc:"URL of the dataset, to read the state of its preparation."`
	DatasetUploadInfo          UploadInfo `json:"datasetUploadInfo" doc:"Where and how to upload the CSV of the dataset."`
}

// UploadInfo describes the URL to which a CSV of any allowed size can be PUT.
type UploadInfo struct {
	UploadURL string `json:"uploadUrl" doc:"URL for the upload; valid for one hour."`
	// ExtraHeaders has the headers to send, one line "Name:value" for each.
	ExtraHeaders string `json:"extraHeaders" doc:"Headers to send with the upload, one Name:value per line."`
}

// DatasetEntry is a dataset in a list, and the response to an upload.
type DatasetEntry struct {
	DatasetKey                 string  `json:"datasetKey"`
	DatasetName                string  `json:"datasetName"`
	Series                     string  `json:"series,omitempty" doc:"The name that the dataset shares with others of its series."`
	Description                *string `json:"description"`
	Status                     string  `json:"status" doc:"PENDING, PROCESSING, COMPLETED or FAILED"`
	NumberOfBuckets            int     `json:"numberOfBuckets" doc:"Number of bins of each numeric feature."`
	DatasetCreationProgressURL string  `json:"datasetCreationProgressUrl" doc:"URL of the dataset, to read the state of its preparation."`
	CreatedOn                  string  `json:"createdOn"`
	CreatedMicros              int64   `json:"createdMicros,omitempty" doc:"createdOn as a Unix time in microseconds, which orders objects of the same second. An extension."`
	Interrupted                bool    `json:"interrupted,omitempty" doc:"While PROCESSING: true if the process that was preparing the dataset has ended and no other process will continue automatically."`
	WaitingFor                 string  `json:"waitingFor,omitempty" doc:"Why the job waits. worker: no process runs jobs, so the job waits until a worker is started. space: the disk is full, so the job may be unable to begin or to end until space is freed; reported only if the machine or container that answers also runs the job or, if the job is queued, all workers. Absent otherwise. An extension."`
	// Bytes is the size of the uploaded CSV, and SHA256 its hash in hex. Both are zero before the
	// upload, and if the service does not report them. They are also zero if the dataset FAILED
	// because of a defect in the CSV, which is then deleted.
	Bytes  int64  `json:"bytes,omitempty" doc:"Size of the uploaded CSV. Absent if the dataset FAILED because of a defect in the CSV, which is then deleted."`
	SHA256 string `json:"sha256,omitempty" doc:"SHA-256 of the uploaded CSV, in hex. Absent if bytes is absent."`
}

// Dataset is the response of [GetDataset].
type Dataset struct {
	DatasetEntry
	UpdatedOn string `json:"updatedOn"`
	// FileName is the name of the uploaded CSV, or empty if it is unknown.
	FileName string `json:"fileName,omitempty" doc:"Name of the uploaded file, if it is known. An extension."`
	// FailureReason says why the dataset FAILED, with the line and column of the defect.
	FailureReason string `json:"failureReason,omitempty" doc:"Why the dataset FAILED, with the line and column of the defect."`
	// Rows, Columns and Classes are set once the dataset is COMPLETED.
	Rows    int64    `json:"rows,omitempty" doc:"Number of labelled rows, once COMPLETED."`
	Columns []Column `json:"columns,omitempty" doc:"The features, once COMPLETED."`
	Classes []Class  `json:"classes,omitempty" doc:"The labels, once COMPLETED."`
	// IDName and LabelName are the names of the first and the last column, in which the service
	// expects the row IDs and the labels. They are empty until the dataset is COMPLETED, and if the
	// service does not report them.
	IDName    string `json:"idName,omitempty" doc:"Name of the column of row IDs, once COMPLETED. An extension."`
	LabelName string `json:"labelName,omitempty" doc:"Name of the label column, once COMPLETED. An extension."`
	// DatasetUploadInfo is set while the dataset is PENDING, so that an
	// interrupted upload can be restarted.
	DatasetUploadInfo *UploadInfo `json:"datasetUploadInfo,omitempty"`
}

// Column describes one feature column of a dataset.
type Column struct {
	Name     string `json:"name" doc:"Name of the column in the header."`
	Kind     string `json:"kind" doc:"numeric, boolean, category, date, time or text"`
	Missing  int64  `json:"missing" doc:"Number of rows without a value."`
	Distinct int64  `json:"distinct" doc:"Number of distinct values."`
	// DateOrder is empty if the column has no dates, or only Unix times, or in datasets of earlier versions.
	DateOrder string `json:"dateOrder,omitempty" doc:"Whether the day or the month is first in the column's dates, such as 1/2/2006: day-first, month-first or unknown. It is year-first if a two-digit year is first, as in 06-01-31. It is unknown if no date reveals the order; the month is then assumed to be first. An extension."`
	// Epoch is empty if the column has no Unix times.
	Epoch string `json:"epoch,omitempty" doc:"The unit of the column's Unix times, which are numbers: s, ms, us or ns since 1 January 1970 UTC. Absent for other dates. An extension."`
	// ListSeparator is empty if the column has no lists, or in datasets of earlier versions.
	ListSeparator string `json:"listSeparator,omitempty" doc:"The character between the items of the column's lists, such as the semicolon of C++;SQL. Absent for other columns. An extension."`
	// TimeZones is nil if the column has no times, or in datasets of earlier versions.
	TimeZones []string `json:"timeZones,omitempty" doc:"The time zones of the column's times, at most ten: offsets such as -05:00, Z, names such as EST, and none for times without a zone. Times are read without their zone. An extension."`
	// NumberFormat is nil if the column has no numbers, or in datasets of earlier versions.
	NumberFormat *NumberFormat `json:"numberFormat,omitempty" doc:"The format of the column's numbers. Numbers in another format are missing values. An extension."`
	// DistinctEstimate reports whether Distinct is an estimate. It is true if the column has too
	// many values to count exactly.
	DistinctEstimate bool `json:"distinctEstimate,omitempty" doc:"Whether distinct is an estimate, because there are too many values to count exactly."`
	// Unused reports whether no model of the dataset uses the column. It is false in datasets of
	// earlier versions.
	Unused bool `json:"unused,omitempty" doc:"Whether no model uses the column, such as a constant column. An extension."`
	// Levels are the texts of a category that a model distinguishes. Only a dataset that was
	// described from a model file has them.
	Levels []string `json:"-"`
	// Sample describes the numbers or dates in a sample of the training rows, and counts the values
	// of a category. Only a dataset that was described from a model file has it. It is nil if the
	// column has no numbers or dates and is no category.
	Sample *NumberSample `json:"-"`
	// Terms describes the words or items in a sample of the training rows. Only a dataset that was
	// described from a model file has it. It is nil unless the column has lists or texts of several
	// words.
	Terms *TermSample `json:"-"`
	// Parts are the items of lists, or the first characters of codes, that are features of a model.
	// PrefixLengths are the lengths of these first characters. Only a dataset that was described
	// from a model file has them.
	Parts         []string `json:"-"`
	PrefixLengths []int    `json:"-"`
	// Distribution is nil if it is unknown, as in datasets of earlier versions.
	Distribution *Distribution `json:"distribution,omitempty" doc:"How the values are distributed. An extension."`
	// Texts is nil if the column has no categories or booleans, or too many, and in datasets of earlier
	// versions.
	Texts []string `json:"texts,omitempty" doc:"All texts of the column, sorted, if a model uses it as categories or booleans. Absent if they exceed about 4 kB, or if the texts of all columns would exceed 64 kB. An extension."`
}

// NumberSample has the range of the numbers in a sample of rows. Dates are numbers of days since 1
// January 1970. A category has only Rows and Missing.
type NumberSample struct {
	Rows     int // the number of rows with a value
	Missing  int // the number of rows without one
	Unknown  int // the number of rows with a rare text, which the model does not distinguish
	Min, Max float64
	Integers bool      // whether all numbers are integers
	Numbers  []float64 // the numbers, in the order of the rows
}

// TermSample has the items of lists, or the words of texts, that a model distinguishes. Rows is the
// number of rows in a sample, and Without the number of these rows that have none of Terms.
type TermSample struct {
	Terms         []string
	Rows, Without int
}

// NumberFormat is the format of the numbers of a column. It is the zero value for plain numbers.
type NumberFormat struct {
	Unit         string `json:"unit,omitempty" doc:"The text before or after the numbers, such as % or $. Numbers without it are accepted, too."`
	DecimalComma bool   `json:"decimalComma,omitempty" doc:"Whether a comma separates the decimals."`
	Grouped      bool   `json:"grouped,omitempty" doc:"Whether some numbers have a comma or a point between thousands. It does not change how numbers are read."`
}

// Distribution describes how the values of a column are distributed. Numbers, dates (as days since
// 1 January 1970) and times (as hours) have a range and a histogram. Other values have only Top.
type Distribution struct {
	Min  float64 `json:"min,omitempty" doc:"The smallest number."`
	Max  float64 `json:"max,omitempty" doc:"The largest number."`
	Mean float64 `json:"mean,omitempty" doc:"The mean of the numbers."`
	// Bins is a histogram: the number of rows in each of at most 16 bins of equal width between Low
	// and High.
	Bins []int64 `json:"bins,omitempty" doc:"Number of rows in each bin; the bins have equal width and go from low to high."`
	Low  float64 `json:"low,omitempty" doc:"Left edge of the first bin."`
	High float64 `json:"high,omitempty" doc:"Right edge of the last bin."`
	// Integers reports whether all numbers are integers. It is false in datasets of older
	// versions.
	Integers bool `json:"integers,omitempty" doc:"Whether all numbers are integers. An extension."`
	// Quantiles divides the numbers more finely than Bins. It is nil unless IsCoarse returns true,
	// and in datasets of older versions.
	Quantiles    []float64 `json:"quantiles,omitempty" doc:"If one bin contains more than half of the numbers: at most nine numbers, ascending, that divide the numbers into ranges with about equal numbers of rows. An extension."`
	QuantileRows []int64   `json:"quantileRows,omitempty" doc:"Number of rows below the first quantile, between neighbouring quantiles, and from the last quantile on. An extension."`
	Top          []Class   `json:"top,omitempty" doc:"The most frequent values, at most five; long ones are truncated."`
}

// IsCoarse reports whether one bin has more than half of the numbers, so that Bins does not show
// how most of them are distributed. It returns false if no bin has two different numbers. distinct
// is the number of distinct values of the column.
func (d *Distribution) IsCoarse(distinct int64) bool {
	largest, rows, filled := int64(0), int64(0), int64(0)
	for _, n := range d.Bins {
		largest, rows, filled = max(largest, n), rows+n, filled+min(n, 1)
	}
	return 2*largest > rows && distinct > filled && (!d.Integers || d.High-d.Low > float64(len(d.Bins)))
}

// maxValueRunes is the maximum number of characters of a value in Distribution.Top.
const maxValueRunes = 40

// AbbreviateValue returns a value as Distribution.Top shows it: a value of more than 40 characters
// is truncated, with an ellipsis at the end.
func AbbreviateValue(text string) string {
	if runes := []rune(text); len(runes) > maxValueRunes {
		return string(runes[:maxValueRunes-1]) + "…"
	}
	return text
}

// Class is one label and the number of rows that have it.
type Class struct {
	Label string `json:"label" doc:"The label as written in the file."`
	Rows  int64  `json:"rows" doc:"Number of rows with this label."`
}

// MarkUnused sets Unused of the column with this name, if there is one. A model does not use the column
// that divided its rows into groups.
func (d *Dataset) MarkUnused(name string) {
	for i := range d.Columns {
		c := &d.Columns[i]
		c.Unused = c.Unused || c.Name == name
	}
}

// PRAUCClass returns the label of the class whose average precision is the metric prAuc: with two
// classes, the class with fewer rows, or the second class if both have equally many rows. It
// returns "" if there are more classes, or if the numbers of rows are unknown.
func (d *Dataset) PRAUCClass() string {
	switch {
	case len(d.Classes) != 2 || d.Classes[0].Rows == 0:
		return ""
	case d.Classes[0].Rows < d.Classes[1].Rows:
		return d.Classes[0].Label
	}
	return d.Classes[1].Label
}

// DatasetPage is the response of [ListDatasets].
type DatasetPage struct {
	Datasets DatasetEntries `json:"datasets"`
	Page
}

// MarshalJSON returns the same JSON as encoding/json does for a struct with these fields. Call it
// directly and not through [json.Marshal], which would validate and copy the JSON of Datasets
// again.
func (p DatasetPage) MarshalJSON() ([]byte, error) {
	datasets, err := p.Datasets.MarshalJSON()
	if err != nil {
		return nil, err
	}
	page, err := json.Marshal(p.Page)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"datasets":`), datasets, []byte(","), page[1:]), nil
}
