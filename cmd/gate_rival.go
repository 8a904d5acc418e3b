package cmd

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
)

// champion as --beat asks for is the best model of the dataset before the one
// that is judged.
const champion = "champion"

// rival is the model that is to be beaten.
type rival struct {
	key  string // "" if there is none
	name string
	why  string // there is none
}

// seek finds the model to be beaten by one of a dataset: by the version that is
// named, or by the next if that is 0.
func (g *gater) seek(ctx context.Context, conn *connection, dataset string, version int) error {
	switch g.beat {
	case "":
		return nil
	case champion:
		var err error
		g.rival, err = conn.championBefore(ctx, dataset, version)
		return err
	}
	key, err := conn.modelKey(ctx, g.beat)
	g.rival = rival{key: key, name: g.beat}
	return err
}

// seekBefore is seek for a model that exists.
func (g *gater) seekBefore(ctx context.Context, conn *connection, model string) error {
	if g.beat == "" {
		return nil
	}
	m, err := client.Call(ctx, conn.Client, api.GetModel, &api.ModelInput{ModelKey: model})
	if err != nil {
		return err
	}
	return g.seek(ctx, conn, m.DatasetKey, m.Version)
}

// championBefore finds the best model of a dataset older than a version, of
// equals the first; 0 is younger than all.
func (c *connection) championBefore(ctx context.Context, dataset string, version int) (rival, error) {
	var best *api.ModelEntry
	for m, err := range client.AllModelsOfDataset(ctx, c.Client, dataset) {
		if err != nil {
			return rival{}, err
		}
		if version > 0 && m.Version >= version {
			continue
		}
		// The list is newest first.
		if best == nil || m.AchievedPerformance.Value >= best.AchievedPerformance.Value {
			best = &m
		}
	}
	if best == nil {
		return rival{why: "the dataset has no champion yet"}, nil
	}
	return rival{key: best.ModelKey, name: champion + " v" + strconv.Itoa(best.Version)}, nil
}

// seekEarlier is seek for run, which makes a dataset each time: the champion is
// that of the newest dataset that an earlier run has made of a file of this
// name, if it has the same columns and classes.
func (g *gater) seekEarlier(ctx context.Context, conn *connection, stem string, trained *frame.Profile) error {
	if g.beat != champion {
		return g.seek(ctx, conn, "", 0)
	}
	var newest *api.DatasetEntry
	for d, err := range client.AllDatasets(ctx, conn.Client, api.ListDatasetsInput{WithModelOnly: true}) {
		if err != nil {
			return err
		}
		if numbered(d.DatasetName, stem) && (newest == nil || d.CreatedOn > newest.CreatedOn) {
			newest = &d
		}
	}
	if newest == nil {
		g.rival = rival{why: "no earlier run of a file of this name has a model"}
		return nil
	}
	d, err := client.Call(ctx, conn.Client, api.GetDataset, &api.DatasetInput{DatasetKey: newest.DatasetKey})
	if err != nil {
		return err
	}
	if !sameTable(d, trained) {
		g.rival = rival{why: "the dataset " + d.DatasetName + " of an earlier run has other columns or classes"}
		return nil
	}
	g.rival, err = conn.championBefore(ctx, d.DatasetKey, 0)
	g.rival.name = d.DatasetName + "@" + g.rival.name
	return err
}

// numbered tells whether name is what freeName makes of stem.
func numbered(name, stem string) bool {
	n := 1
	if at := strings.LastIndexByte(name, '-'); at >= 0 {
		if number, err := strconv.Atoi(name[at+1:]); err == nil && number > 1 {
			n = number
		}
	}
	return name == datasetName(stem, 1) || name == datasetName(stem, n)
}

// sameTable tells whether a dataset has the columns and classes of a file,
// where the service tells of its own.
func sameTable(d *api.Dataset, p *frame.Profile) bool {
	if len(d.Columns) == 0 || len(d.Classes) == 0 {
		return true
	}
	theirs := labelsOf(d)
	ours := make([]string, len(p.Classes))
	for i, class := range p.Classes {
		ours[i] = class.Text
	}
	slices.Sort(theirs)
	slices.Sort(ours)
	return slices.Equal(theirs, ours) && slices.EqualFunc(d.Columns, p.Columns, func(a api.Column, b frame.ColumnProfile) bool {
		return a.Name == b.Name
	})
}
