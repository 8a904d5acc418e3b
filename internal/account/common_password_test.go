package account

import "testing"

// TestGuessablePasswords checks which passwords are refused.
func TestGuessablePasswords(t *testing.T) {
	t.Parallel()
	const email = "ada.lovelace@analytics.example.org"
	for password, isRefused := range map[string]bool{
		"1q2w3e4r5t":            true, // common
		"QwertyUIOP":            true,
		"basketball":            true,
		"password2026!":         true, // common, with digits and symbols
		"**Dragon**77":          true,
		"monkeymonkey":          true, // twice
		"aaaaaaaaaaab":          true,
		"Foretell-2026":         true, // the program
		"lovelace1815":          true, // a part of the e-mail
		"analytics!!":           true,
		"ada.lovelace1":         true,
		email:                   true,
		"correct horse":         false,
		"a long password":       false,
		"dragon and basketball": false,
		"Lovelace wrote notes":  false,
		"ÄÖÜäöü 1234 ßß":        false,
	} {
		if err := checkPassword(email, password); (err != nil) != isRefused {
			t.Errorf("%q: %v", password, err)
		}
	}
	if n := len(commonPasswords()); n < 5000 {
		t.Errorf("only %d common passwords", n)
	}
}
