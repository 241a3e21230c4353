package redact_test
import ("testing";"fmt";"os";"strings";"encoding/json";"path/filepath")
func TestDbg(t *testing.T){
 for _, f := range strings.Fields(os.Getenv("DBG_FILES")) {
  b,_:=os.ReadFile(f); 
  for i, d := range [][]byte{b, []byte(`{"s":`+quote(string(b))+`}`)} {
  o,rep:=redactor.JSON(d); if json.Valid(d)&&!json.Valid(o){fmt.Println("INVALID",f)}
  if rep.Count>0 { fs:=redactor.Find(d); for k,x:=range fs { if k<6 {fmt.Printf("%s[%d] %s/%s line %d %.120q\n",filepath.Base(f),i,x.Kind,x.Rule,x.Line,d[max(0,x.Start-30):min(x.End+5,x.Start+80)])}}}
 }}
}
