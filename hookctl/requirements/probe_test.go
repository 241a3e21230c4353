package requirements
import ("testing";"strings";"time";"fmt"
"mvdan.cc/sh/v3/syntax"
"github.com/goccy/go-yaml/parser")
func TestProbe(t *testing.T){
 for _,u:=range []string{"(","$(","`","{ ","if ","! ","a|","a&&","\"$(","${a:-","$((","a;","git ","[[ (","<<A\n","case a in a) ","[[ ! ","$((1+","$(((","a=("}{
  for _,n:=range []int{4096,65536}{
  s:=time.Now()
  _,err:=syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(strings.Repeat(u,n/len(u))),"")
  e:=fmt.Sprint(err); if len(e)>60{e=e[:60]}
  fmt.Printf("%q %d %v %s\n",u,n,time.Since(s),e)
 }}
 for _,u:=range []string{"[","{a: ","- ","a:\n","&a [","- - ","? ","\"","'a' ","a: 1\n","| \n","!t "}{
  for _,n:=range []int{4096,32768}{
  s:=time.Now()
  x:=strings.Repeat(u,n/len(u))
  _,err:=parser.ParseBytes([]byte(x),0)
  e:=fmt.Sprint(err); if len(e)>60{e=e[:60]}
  fmt.Printf("yaml %q %d %v %q\n",u,n,time.Since(s),e)
 }}
}
