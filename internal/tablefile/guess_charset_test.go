package tablefile

import (
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// western is French, German and Spanish text with the quotation marks and dashes that word
// processors write.
const western = "id,note,label\n1,Café crème à 3 €,ja\n2,“Größe” – ähnlich…,nein\n3,l’été à l’Œuvre,ja\n4,año ½ m² 1º,nein\n5,ÉCOLE Straße,ja\n"

func encoded(t *testing.T, in encoding.Encoding, text string) string {
	t.Helper()
	out, err := in.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGuessCharset(t *testing.T) {
	cyrillic := "id,город,label\n1,Москва,да\n2,Казань,нет\n"
	for _, c := range []struct{ name, in, want string }{
		{"utf8", western, ""},
		{"windows_1252", encoded(t, charmap.Windows1252, western), "Windows-1252"},
		{"latin_1", encoded(t, charmap.ISO8859_1, "id,prénom\n1,Zoë\n2,Núñez\n"), "Windows-1252"},
		{"german", encoded(t, charmap.Windows1252, "id,Größe\n1,mäßig\n2,Süßes\n"), "Windows-1252"},
		{"french_and_finnish", encoded(t, charmap.Windows1252, "id,créée\n1,määrä\n2,töölö\n"), "Windows-1252"},
		{"a_single_byte", "id,x\n1,caf\xE9\n", "Windows-1252"},
		{"one_at_the_end_of_the_file", "id,x\n1,caf\xE9", "Windows-1252"},
		{"utf8_with_a_bad_byte", western + "6,caf\xE9,ja\n", ""},
		{"a_cut_character", western + "6,caf\xC3,ja\n", ""},
		{"a_byte_that_windows_1252_lacks", "id,x\n1,caf\xE9\n2,\x8D\n", ""},
		{"windows_1251", encoded(t, charmap.Windows1251, cyrillic), ""},
		{"koi8", encoded(t, charmap.KOI8R, cyrillic), ""},
		{"shift_jis", encoded(t, japanese.ShiftJIS, "id,名前\n1,東京\n2,大阪\n"), ""},
		{"gbk", encoded(t, simplifiedchinese.GBK, "id,名字\n1,北京\n2,上海\n"), ""},
		{"dos", encoded(t, charmap.CodePage437, "id,x\n1,café\n2,Müller\n3,Größe\n"), ""},
		{"macintosh", encoded(t, charmap.Macintosh, "id,x\n1,café\n2,Müller\n3,crème\n"), ""},
		{"polish", encoded(t, charmap.Windows1250, "id,x\n1,żółw\n2,świat\n3,właściwy\n"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := openText(t, c.in, Options{})
			if _, err := text(t, table); err != nil || table.Description() != c.want {
				t.Errorf("read as %q, %v", table.Description(), err)
			}
			for _, one := range []bool{false, true} { // the result does not depend on how many bytes each Read returns
				src := iotest.DataErrReader(strings.NewReader(c.in))
				if one {
					src = iotest.OneByteReader(src)
				}
				s, err := scanCharset(t.Context(), src)
				if err != nil || s.isWindows1252() && s.invalid > 0 != (c.want != "") {
					t.Errorf("%+v, %v", s, err)
				}
			}
		})
	}
}

func TestGuessedCharsetIsSaid(t *testing.T) {
	table := openText(t, "id,x\n1,\"a\nb\"\n2,caf\xE9\n3,\xE9t\xE9\n", Options{})
	got, err := text(t, table)
	if want := "id,x\n1,\"a\nb\"\n2,café\n3,été\n"; err != nil || got != want {
		t.Fatalf("got %q, %v", got, err)
	}
	warnings := table.Warnings()
	if len(warnings) != 1 || warnings[0].Line != 4 || warnings[0].Column != 2 || warnings[0].File != "table" {
		t.Errorf("got %+v", warnings)
	}
	table = openText(t, "id,x\n1,caf\xE9\n", Options{Encoding: "latin-1"})
	if _, err := text(t, table); err != nil || len(table.Warnings()) > 0 {
		t.Errorf("a named encoding: %v, %v", table.Warnings(), err)
	}
}
