package account

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
	"unicode"
)

// commonPasswordsFile has common passwords in lower case, one a line: all passwords of the source
// with at least ten characters, and the 5,000 most common passwords of the source with at least
// four characters. The source is @zxcvbn-ts/language-common 4.1.3, copyright 2012-2016 Dan Wheeler
// and Dropbox, Inc. and 2021 @zxcvbn-ts, under the MIT licence.
//
//go:embed common_passwords.txt.gz
var commonPasswordsFile []byte

// commonPasswords returns the passwords in commonPasswordsFile as a set.
var commonPasswords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	r, err := gzip.NewReader(bytes.NewReader(commonPasswordsFile))
	if err != nil {
		panic(err) // the file is a part of the program
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	for word := range strings.Lines(string(text)) {
		words[strings.TrimSuffix(word, "\n")] = true
	}
	return words
})

// isCommonPassword reports whether a password in lower case is easy to guess. Such a password has
// at most two different characters, or is a common password: alone, written twice, or with digits
// and symbols around it.
func isCommonPassword(password string) bool {
	words := commonPasswords()
	half := password[:len(password)/2]
	return words[password] || words[trimNonLetters(password)] || half+half == password && words[half] ||
		hasAtMostTwoCharacters(password)
}

// isEmailPartOrProgramName reports whether a password in lower case is the name of this program or
// a part of the email. Digits and symbols around it are ignored.
func isEmailPartOrProgramName(password, email string) bool {
	core := trimNonLetters(password)
	if core == "foretell" {
		return true
	}
	isSeparator := func(c rune) bool { return !unicode.IsLetter(c) }
	for _, part := range strings.FieldsFunc(email, isSeparator) {
		if core == part {
			return true
		}
	}
	name, _, _ := strings.Cut(email, "@")
	return core != "" && core == trimNonLetters(name)
}

// trimNonLetters removes everything before the first and after the last letter.
func trimNonLetters(s string) string {
	return strings.TrimFunc(s, func(c rune) bool { return !unicode.IsLetter(c) })
}

// hasAtMostTwoCharacters reports whether a text consists of at most two different characters.
func hasAtMostTwoCharacters(text string) bool {
	seen := map[rune]bool{}
	for _, c := range text {
		seen[c] = true
	}
	return len(seen) <= 2
}
