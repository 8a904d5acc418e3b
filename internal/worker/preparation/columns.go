package preparation

import (
	"math"
	"slices"

	"foretell/internal/api"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

func toColumns(p *profile.Profile) []api.Column {
	columns, size := make([]api.Column, len(p.Columns)), maxDatasetTextsSize
	for i, c := range p.Columns {
		columns[i] = api.Column{Name: c.Name, Kind: string(c.Form), Missing: int64(c.Missing), Distinct: int64(c.Distinct), DistinctEstimate: c.Estimate, DateOrder: string(c.DateOrder), Epoch: string(c.Epoch), TimeZones: c.TimeZones, ListSeparator: c.ListSeparator(), Unused: c.Features == 0, Distribution: toDistribution(&c)}
		if format := c.NumberFormat(); format != nil {
			columns[i].NumberFormat = new(api.NumberFormat(*format))
		}
		columns[i].Texts = allTexts(&c, &size)
	}
	return columns
}

// maxTextsSize is the maximum size of all texts of a column in JSON, in bytes. maxDatasetTextsSize
// is the maximum size of the texts of all columns together. An escape sequence, such as \" for a
// quote, counts as one byte. Hundreds of categories fit, and every response that describes the
// dataset stays short. Longer lists are omitted, because clients could not detect new texts with an
// incomplete list.
const (
	maxTextsSize        = 4 << 10
	maxDatasetTextsSize = 64 << 10
)

// allTexts returns all texts of a column, sorted, if a model uses them as categories or booleans.
// It returns nil if the column is used in another way, or if the texts are too long. The parameter
// left is the size that all further texts of the dataset may have. allTexts subtracts the size of
// the returned texts from it.
func allTexts(c *profile.ColumnProfile, left *int) (texts []string) {
	isCategory := c.Form == inference.FormCategory || c.Form == inference.FormBoolean
	if !isCategory || c.Features == 0 || c.HasItemsOrPrefixes() || !c.HasAllTexts() {
		return nil
	}
	size, limit := 0, min(maxTextsSize, *left)
	for _, value := range c.Values() {
		if size += len(value.Text) + len(`"",`); size > limit {
			return nil
		}
		texts = append(texts, value.Text)
	}
	*left -= size
	slices.Sort(texts)
	return texts
}

// maxDistributionBins is the maximum number of bins, and maxDistributionTexts is the maximum number
// of texts, in the distribution of a column. The distributions of 5,000 columns must fit in one row
// of the store.
const (
	maxDistributionBins  = 16
	maxDistributionTexts = 5
)

// toDistribution returns the distribution of a column, or nil if it is unknown.
func toDistribution(c *profile.ColumnProfile) *api.Distribution {
	var d api.Distribution
	if n := c.Numbers; n != nil {
		d.Min, d.Max, d.Mean, d.Integers = n.Min, n.Max, n.Mean, c.Form == inference.FormNumeric && c.IsInteger()
		if h := n.Histogram; h != nil && len(h.Rows) > 0 {
			merged := (len(h.Rows) + maxDistributionBins - 1) / maxDistributionBins // number of bins that are joined into one
			d.Bins = make([]int64, (len(h.Rows)+merged-1)/merged)
			for i, rows := range h.Rows {
				d.Bins[i/merged] += int64(rows)
			}
			d.Low, d.High = h.Low, h.Edge(merged*len(d.Bins))
			if d.IsCoarse(int64(c.Distinct)) {
				setQuantiles(&d, c)
			}
		}
	}
	for _, value := range c.Top[:min(len(c.Top), maxDistributionTexts)] {
		d.Top = append(d.Top, api.Class{Label: api.AbbreviateValue(value.Text), Rows: int64(value.Rows)})
	}
	if d.Bins == nil && d.Top == nil {
		return nil
	}
	return &d
}

// setQuantiles sets the quantiles of d if they are known and finer than its bins.
func setQuantiles(d *api.Distribution, c *profile.ColumnProfile) {
	d.Quantiles = c.Quantiles()
	for _, rows := range c.CountRanges(d.Quantiles) {
		d.QuantileRows = append(d.QuantileRows, int64(math.Round(rows)))
	}
}

func toClasses(p *profile.Profile) []api.Class {
	classes := make([]api.Class, len(p.Classes))
	for i, c := range p.Classes {
		classes[i] = api.Class{Label: c.Text, Rows: int64(c.Rows)}
	}
	return classes
}
