package columnstats

// NumericStats are the statistics of a numeric column. No field is NaN or infinite.
type NumericStats struct {
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stdDev"`
	// Median is set by package profile. It is exact in a small table (at most 1,000 rows, or at
	// most 10,000 rows and two million values). It is also exact if the numbers were parsed from
	// texts that are all known. In all other cases, it is estimated from a sample or from
	// Histogram, and MedianEstimate is set. Median may be 0 in a brief profile.
	Median         float64    `json:"median"`
	MedianEstimate bool       `json:"medianEstimate,omitempty"`
	Histogram      *Histogram `json:"histogram"`
}

// NumberSummary are the statistics of some numbers, and how many they are.
type NumberSummary struct {
	Stats *NumericStats // without Median; nil if there are no numbers
	Rows  int           // number of rows with a number
	// Distinct is the number of distinct numbers. If Estimate is set, it is an estimate: its standard
	// error is 1.3 % in files with few columns, and up to 25 % in those with many.
	Distinct     int
	Estimate     bool
	HasFractions bool // some number is not an integer
}
