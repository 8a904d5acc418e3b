package session

import (
	"context"
	"strings"

	"github.com/spf13/viper"

	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/credential"
)

// endEarlierSessions removes the stored tokens of earlier log-ins to the same account, and ends
// their sessions. It does not end the session of the token in the parameter current. It looks for
// tokens in the file of credentials. It also looks in the keyring, but only if the profile stored
// its token in the keyring. It keeps the tokens in the storage in use (tokens.Storage), and in a
// storage that another profile uses for the same account. file is the content of config.yaml before
// this log-in or log-out.
func endEarlierSessions(ctx context.Context, file *viper.Viper, profile string, tokens *credential.TokenSource, current string, output *cli.Output) {
	storages := []string{config.AuthStorageFile}
	if storageOf(file, profile) == config.AuthStorageKeyring { // the keyring is skipped if it was not used, because a locked keyring causes a delay
		storages = append(storages, config.AuthStorageKeyring)
	}
	var unused []string
	for _, storage := range storages {
		if !isUsedByOther(file, profile, storage, tokens) {
			unused = append(unused, storage)
		}
	}
	earlier, err := tokens.RemoveElsewhere(unused)
	if err != nil {
		output.Note("cannot remove the earlier credentials for %s: %s", tokens.Server, err)
	}
	for _, token := range earlier {
		if token != current {
			endSession(ctx, tokens, token, output)
		}
	}
}

// profileSetting returns a setting of a profile in the content of config.yaml.
func profileSetting(file *viper.Viper, profile, key string) string {
	return file.GetString("profiles" + config.KeyDelimiter + profile + config.KeyDelimiter + key)
}

func storageOf(file *viper.Viper, profile string) string {
	return profileSetting(file, profile, config.KeyAuthStorage)
}

// isUsedByOther reports whether another profile than the given one is for the same account of the
// same server as tokens, and keeps its credentials in the given storage.
func isUsedByOther(file *viper.Viper, profile, storage string, tokens *credential.TokenSource) bool {
	for other := range file.GetStringMap("profiles") {
		server := strings.TrimRight(profileSetting(file, other, config.KeyServer), "/")
		if other != profile && server == tokens.Server && strings.EqualFold(profileSetting(file, other, config.KeyUsername), tokens.Username) && storageOf(file, other) == storage {
			return true
		}
	}
	return false
}
