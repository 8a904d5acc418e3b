package tablefile

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// TestEncodingExamples checks that the right encoding is among the examples, and that an encoding in
// which the text is obviously unreadable is not.
func TestEncodingExamples(t *testing.T) {
	for _, c := range []struct {
		name, text, want, without string
		in                        encoding.Encoding
	}{
		{"cyrillic", "возраст,пол\n1,муж\n2,жен\n", "windows-1251 возраст", "ibm866 тючЁрёЄ", charmap.Windows1251},
		{"chinese", "年龄,性别\n1,男\n2,女\n", "gb18030 年龄", "windows-1251 ДкБд", simplifiedchinese.GBK},
		{"japanese", "年齢,性別\n1,男\n2,女\n", "shift_jis 年齢", "macintosh îNóÓ", japanese.ShiftJIS},
		{"console", "id,stadt\n1,Köln\n2,Nürnberg\n3,Málaga\n", "cp850 Köln", "ibm866", charmap.CodePage850},
		{"dos_cyrillic", "id,город\n1,Москва\n2,Казань\n", "ibm866 город", "windows-1251", charmap.CodePage866},
		{"beside_letters", "价格,尺寸\nT恤,男\n", "gb18030 价格", "windows-1251", simplifiedchinese.GBK},
		{"damaged", "name\nChloë\nSkarsgård\nVélez\nRodr’guez\nCer—n\n", "macintosh Chloë", "windows-1252", charmap.Macintosh},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := openText(t, encoded(t, c.in, c.text), Options{}).EncodingExamples(t.Context())
			var list []string
			for _, one := range got {
				list = append(list, one.Encoding+" "+one.Text)
			}
			if err != nil || !slices.Contains(list, c.want) || strings.Contains(strings.Join(list, "\n"), c.without) {
				t.Errorf("%q, %v: want %s and not %s", list, err, c.want, c.without)
			}
		})
	}
	for _, name := range []string{"Alarc\x93\x98n", "Ch\xCC\xC1vez"} { // the bytes are also Chinese characters
		if got, err := openText(t, "name\n"+name+"\n", Options{}).EncodingExamples(t.Context()); err != nil || slices.ContainsFunc(got, func(one EncodingExample) bool { return one.Encoding == "gb18030" || one.Encoding == "euc-kr" }) {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	mixed := "id,name\n1,é\n2,\xE9\n3,ä\n" // another encoding would make the other rows wrong
	if got, err := openText(t, mixed, Options{}).EncodingExamples(t.Context()); got != nil || err != nil {
		t.Errorf("mostly UTF-8: %q, %v", got, err)
	}
}
