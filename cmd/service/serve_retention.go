package service

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/cli"
	"foretell/internal/exit"
)

// retentionFlags holds the flags of serve that say how long data is kept.
type retentionFlags struct {
	predictions, trainings, datasets, auditLog string
}

// bind adds the flags to cmd.
func (r *retentionFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&r.predictions, "keep-predictions", "", "delete predictions, with their files, this `time` after the prediction ended, such as 30d (default never)")
	flags.StringVar(&r.trainings, "keep-trainings", "", "delete races with their models this `time` after the race ended or its model was last used; what champions depend on is kept (default never)")
	flags.StringVar(&r.datasets, "keep-datasets", "", "delete datasets with their races this `time` after the dataset was last used; what champions depend on is kept (default never)")
	flags.StringVar(&r.auditLog, "keep-audit-log", "", "delete entries of the audit log after this `time` (default never)")
	cli.SetFlagGroup(flags, cli.GroupAccounts, "keep-predictions", "keep-trainings", "keep-datasets", "keep-audit-log")
}

// parseRetention parses the flags and returns how long each kind of data is kept.
func (r *retentionFlags) parseRetention() (out app.Retention, err error) {
	for _, flag := range []struct {
		name, text string
		value      *time.Duration
	}{
		{"keep-predictions", r.predictions, &out.Predictions},
		{"keep-trainings", r.trainings, &out.Trainings},
		{"keep-datasets", r.datasets, &out.Datasets},
		{"keep-audit-log", r.auditLog, &out.AuditEvents},
	} {
		if flag.text == "" {
			continue
		}
		var age cli.AgeFlag
		if err := age.Set(flag.text); err != nil || age == 0 {
			return out, exit.Usagef("invalid --%s %q: must be a duration longer than 0, such as 30d or 12h", flag.name, flag.text)
		}
		*flag.value = time.Duration(age)
	}
	return out, nil
}

// parseQuota parses a list of limits such as datasets=100,bytes=20GB,races=4.
func parseQuota(limits []string) (out api.Quota, err error) {
	if slices.Equal(limits, []string{noValue}) {
		return out, nil
	}
	values := map[string]**int64{"datasets": &out.Datasets, "bytes": &out.Bytes, "races": &out.Races}
	for _, limit := range limits {
		name, text, _ := strings.Cut(limit, "=")
		value, known := values[name]
		if known {
			*value, err = parseLimit(name, text)
		}
		if !known || err != nil {
			return out, exit.Usagef("invalid --default-quota %q: must be limits such as datasets=100,bytes=20GB,races=4, or \"none\"", limit)
		}
	}
	return out, nil
}
