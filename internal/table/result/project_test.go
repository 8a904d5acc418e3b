package result

import (
	"context"
	"strings"
	"testing"
)

func TestProject(t *testing.T) {
	const result = "PassengerId,a=b,prediction,size,prediction_2,probability,probability_0,probability_2\n7,1,x,\"a,b\",2,0.75,0.25,0.75\n8,2,y,c,0,1,1,0\n"
	for columns, want := range map[string]string{
		"id,prediction": "id,prediction\n7,2\n8,0\n",
		"PassengerId,Survived=prediction,probability": "PassengerId,Survived,probability\n7,2,0.75\n8,0,1\n",
		"size,id,p=probability_2":                     "size,id,p\n\"a,b\",7,0.75\nc,8,0\n",
		"prediction_2":                                "prediction_2\n2\n0\n",
		`id,"a=b","c, d"=size , "q""" = "a=b"`:        "id,a=b,\"c, d\",\"q\"\"\"\n7,1,\"a,b\",1\n8,2,c,2\n",
	} {
		picks, err := ParseSelections(columns)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := Project(context.Background(), strings.NewReader(result), &got, nil, picks); err != nil || got.String() != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", columns, err, got.String(), want)
		}
	}
	picks, _ := ParseSelections("id,sise")
	err := Project(context.Background(), strings.NewReader(result), &strings.Builder{}, nil, picks)
	if err == nil || !strings.Contains(err.Error(), `no column "sise" (did you mean "size"?)`) {
		t.Errorf("%v", err)
	}
	picks, _ = ParseSelections("id,a=b")
	err = Project(context.Background(), strings.NewReader(result), &strings.Builder{}, nil, picks)
	if err == nil || !strings.Contains(err.Error(), `the column a=b must be in double quotes: "a=b"`) {
		t.Errorf("%v", err)
	}
	for _, pick := range []Selection{{"a", "a"}, {"a=b", "a=b"}, {"x, y", "z"}, {"b=c", "a"}, {` "q" `, "="}} {
		if got, err := ParseSelections(pick.String()); err != nil || len(got) != 1 || got[0] != pick {
			t.Errorf("%+v is written %s and read as %+v, %v", pick, pick, got, err)
		}
	}
	for _, text := range []string{"", "a,", `""`, "a,,b", "=a", "a=", "a,a"} {
		if _, err := ParseSelections(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
