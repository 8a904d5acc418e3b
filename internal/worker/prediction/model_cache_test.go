package prediction

import (
	"strconv"
	"testing"

	"foretell/internal/learn/model"
)

func TestModelCacheKeepsRecentlyUsed(t *testing.T) {
	t.Parallel()
	c := newModelCache()
	models := map[string]*model.Model{}
	put := func(key string) {
		models[key] = &model.Model{}
		c.put(key, models[key])
	}
	for i := range modelCacheSize {
		put(strconv.Itoa(i))
	}
	if c.get("0") != models["0"] {
		t.Fatal("model 0 is missing")
	}
	put("new") // model 1 was used least recently
	for key, m := range models {
		want := m
		if key == "1" {
			want = nil
		}
		if got := c.get(key); got != want {
			t.Errorf("model %s is %p, want %p", key, got, want)
		}
	}
}

// TestModelCacheReplaces puts a model twice, as two jobs do that have loaded it concurrently. It must
// take one place.
func TestModelCacheReplaces(t *testing.T) {
	t.Parallel()
	c := newModelCache()
	second := &model.Model{}
	c.put("a", &model.Model{})
	c.put("b", &model.Model{})
	c.put("a", second)
	if len(c.entries) != 2 || c.get("a") != second || c.get("b") == nil {
		t.Errorf("the cache has %+v", c.entries)
	}
}
