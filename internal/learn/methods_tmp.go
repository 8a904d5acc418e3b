package learn

var methods []method
