package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"foretell/internal/account"
	"foretell/internal/api"
)

func TestAccounts(t *testing.T) {
	t.Parallel()
	now := time.Now() // the clock stands still: during slow hashing, a running clock would refill the limits
	b := openAt(t, t.TempDir(), func() time.Time { return now })
	user := b.as(t, "Ada@Example.com")
	t.Run("an email has one account in any case", func(t *testing.T) {
		wantCode(t, b.AddUser(t.Context(), api.NewAccount{Email: "ada@example.com "}, "correct horse"), api.CodeNameTaken)
	})
	t.Run("bad emails and passwords are refused", func(t *testing.T) {
		wantCode(t, b.AddUser(t.Context(), api.NewAccount{Email: "nobody"}, "correct horse"), api.CodeInvalid)
		wantCode(t, b.AddUser(t.Context(), api.NewAccount{Email: "a@b.c"}, "short"), api.CodeInvalid)
	})
	t.Run("unknown and wrong look alike", func(t *testing.T) {
		_, unknown := b.LogIn(t.Context(), logIn("bob@example.com", "correct horse"))
		_, wrong := b.LogIn(t.Context(), logIn("ada@example.com", "wrong horse"))
		_, local := b.LogIn(t.Context(), logIn("local", ""))
		wantCode(t, unknown, api.CodeBadCredentials)
		if unknown.Error() != wrong.Error() || unknown.Error() != local.Error() {
			t.Errorf("they differ: %v, %v, %v", unknown, wrong, local)
		}
	})
	t.Run("a disabled account's token stops at once", func(t *testing.T) {
		session := must(b.LogIn(t.Context(), logIn("ada@example.com", "correct horse")))(t)
		in := b.account(t, "ada@example.com")
		must(b.DisableAccount(t.Context(), in))(t)
		_, err := b.Authenticate(t.Context(), session.AccessToken)
		wantCode(t, err, api.CodeUnauthorized)
		_, err = b.LogIn(t.Context(), logIn("ada@example.com", "correct horse"))
		wantCode(t, err, api.CodeBadCredentials)
		must(b.EnableAccount(t.Context(), in))(t)
		if err := b.SetUserPassword(t.Context(), "ada@example.com", "another horse"); err != nil {
			t.Fatal(err)
		}
		must(b.LogIn(t.Context(), logIn("ada@example.com", "another horse")))(t)
	})
	t.Run("guessing is slowed down", func(t *testing.T) {
		var err error
		for range 11 {
			_, err = b.LogIn(t.Context(), logIn("eve@example.com", "guess"))
		}
		wantCode(t, err, api.CodeTooMany)
		var p *api.Problem
		if !errors.As(err, &p) || p.RetryAfter < 1 {
			t.Errorf("no Retry-After in %+v", p)
		}
	})
	t.Run("deleting an account deletes what it has", func(t *testing.T) {
		key := user.create(t, "flowers").DatasetKey
		user.add(t, key, labelled(10))
		in := b.account(t, "ada@example.com")
		must(b.DeleteAccount(t.Context(), in))(t)
		users := must(b.ListAccounts(t.Context(), &api.ListAccountsInput{PageInput: api.PageInput{Limit: 9}}))(t).Accounts
		if len(users) != 1 || len(b.files(t)) > 0 {
			t.Errorf("users %+v and files %v are left", users, b.files(t))
		}
		_, err := b.DeleteAccount(t.Context(), in)
		wantCode(t, err, api.CodeNotFound)
	})
}

func TestTokensAndURLsExpire(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := openAt(t, t.TempDir(), func() time.Time { return now })
	session := must(b.OpenLocalSession(t.Context()))(t)
	created := b.create(t, "flowers")
	in := uploadInput(t, created)
	now = now.Add(api.TokenLifetime*time.Second - time.Second)
	must(b.Authenticate(t.Context(), session.AccessToken))(t)
	_, err := b.UploadData(b.ctx, in, strings.NewReader("short"), 5)
	wantCode(t, err, api.CodeTooSmall)
	now = now.Add(time.Second)
	_, err = b.Authenticate(t.Context(), session.AccessToken)
	wantCode(t, err, api.CodeUnauthorized)
	_, err = b.UploadData(b.ctx, in, strings.NewReader(labelled(20)), -1)
	wantCode(t, err, api.CodeForbidden)
	fresh := must(b.GetDataset(b.ctx, &api.DatasetInput{DatasetKey: created.DatasetKey}))(t)
	in = uploadInput(t, &api.CreatedDataset{DatasetKey: created.DatasetKey, DatasetUploadInfo: *fresh.DatasetUploadInfo})
	must(b.UploadData(b.ctx, in, strings.NewReader(labelled(20)), -1))(t)
}

// TestWithoutAccount reads the objects of an account with no caller, and with a caller that has no
// account, such as that of OpenLocalReadSession if the local account does not exist.
func TestWithoutAccount(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	stop := b.work(t)
	race := b.trained(t, "flowers")
	stop()
	model := api.ModelInput{ModelKey: race.ModelKey}
	created := must(b.CreatePrediction(b.ctx, &api.NewPrediction{ModelInput: model}, strings.NewReader(blind(20))))(t)
	prediction := &api.PredictionInput{PredictionKey: created.PredictionKey}
	must(b.GetPrediction(b.ctx, prediction))(t)
	for _, ctx := range []context.Context{t.Context(), account.WithCaller(t.Context(), account.Caller{Email: "local", Administrator: true})} {
		_, err := b.GetDataset(ctx, &api.DatasetInput{DatasetKey: race.DatasetKey})
		wantCode(t, err, api.CodeNotFound)
		_, err = b.GetTraining(ctx, &api.TrainingInput{TrainingJobKey: race.TrainingJobKey})
		wantCode(t, err, api.CodeNotFound)
		_, err = b.GetModel(ctx, &model)
		wantCode(t, err, api.CodeNotFound)
		_, err = b.GetPrediction(ctx, prediction)
		wantCode(t, err, api.CodeNotFound)
		_, err = b.GetPredictionProgress(ctx, prediction)
		wantCode(t, err, api.CodeNotFound)
		_, err = b.DeletePrediction(ctx, prediction)
		wantCode(t, err, api.CodeNotFound)
	}
}
