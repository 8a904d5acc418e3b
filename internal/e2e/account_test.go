package e2e_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// fastHash is a hash of "a long password" that needs a hundredth of the usual memory and time to
// compute. Tests log in more than a hundred times.
var fastHash = sync.OnceValues(func() (string, error) {
	return auth.NewPasswordHasher(1, 64, rand.Reader).Hash(context.Background(), "a long password")
})

// addAccount adds an account with the password "a long password" to a service. flags select its
// data. The command `users add` would take longer; other tests and the script serve run it.
func addAccount(email string, flags []string) (err error) {
	a := store.Account{Email: email, Created: time.Now()}
	if a.PasswordHash, err = fastHash(); err != nil {
		return err
	}
	if a.Key, err = auth.NewUUID(rand.Reader); err != nil {
		return err
	}
	ctx := context.Background()
	database, err := store.Open(ctx, databaseOf(flags))
	if err != nil {
		return err
	}
	err = database.Write(ctx, func(t *store.Tx) error { return t.InsertAccount(ctx, &a) })
	return errors.Join(err, database.Close())
}

// databaseOf returns the database that flags select.
func databaseOf(flags []string) string {
	values := make(map[string]string)
	for i := 1; i < len(flags); i++ {
		values[flags[i-1]] = flags[i]
	}
	if url := values["--database"]; url != "" {
		return url
	}
	return filepath.Join(values["--data-dir"], "foretell.db")
}

// signIn returns a token of an account.
func signIn(address, email string) (string, error) {
	body, err := json.Marshal(api.Credentials{Username: email, Password: "a long password"})
	if err != nil {
		return "", err
	}
	answer, err := http.Post(address+api.LogIn.Path, "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var session api.Session
	if err := json.NewDecoder(answer.Body).Decode(&session); err != nil || session.AccessToken == "" {
		return "", fmt.Errorf("log in: %s, %w", answer.Status, err)
	}
	return session.AccessToken, nil
}
