/**
 * ISO 3166-1 alpha-2, alpha-3, continent, capital, area, population, top-level domain, currency, its name, calling code,
 * languages. From GeoNames' countryInfo (CC BY 4.0, https://www.geonames.org/countries/), which ipapi.co has too;
 * populations from Unicode CLDR 48, areas that GeoNames rounds to nothing or confuses from national statistics. A test compares
 * the table with the packages countries-list and cldr-core, so a newer version of either shows what has changed.
 */
export const COUNTRY_TABLE = `\
AD|AND|EU|Andorra la Vella|468|85370|.ad|EUR|Euro|+376|ca
AE|ARE|AS|Abu Dhabi|82880|10032200|.ae|AED|Dirham|+971|ar-AE,fa,en,hi,ur
AF|AFG|AS|Kabul|647500|40121600|.af|AFN|Afghani|+93|fa-AF,ps,uz-AF,tk
AG|ATG|NA|St. John's|443|102634|.ag|XCD|Dollar|+1268|en-AG
AI|AIA|NA|The Valley|102|19416|.ai|XCD|Dollar|+1264|en-AI
AL|ALB|EU|Tirana|28748|3107100|.al|ALL|Lek|+355|sq,el
AM|ARM|AS|Yerevan|29800|2976770|.am|AMD|Dram|+374|hy
AO|AGO|AF|Luanda|1246700|37202100|.ao|AOA|Kwanza|+244|pt-AO
AQ|ATA|AN||14000000|300|.aq|||+672|
AR|ARG|SA|Buenos Aires|2766890|46994400|.ar|ARS|Peso|+54|es-AR,en,it,de,fr,gn
AS|ASM|OC|Pago Pago|199|43895|.as|USD|Dollar|+1684|en-AS,sm,to
AT|AUT|EU|Vienna|83858|8967980|.at|EUR|Euro|+43|de-AT,hr,hu,sl
AU|AUS|OC|Canberra|7686850|26768600|.au|AUD|Dollar|+61|en-AU
AW|ABW|NA|Oranjestad|193|125063|.aw|AWG|Guilder|+297|nl-AW,pap,es,en
AX|ALA|EU|Mariehamn|1580|26200|.ax|EUR|Euro|+358|sv-AX
AZ|AZE|AS|Baku|86600|10650200|.az|AZN|Manat|+994|az,ru,hy
BA|BIH|EU|Sarajevo|51129|3798670|.ba|BAM|Marka|+387|bs,hr-BA,sr-BA
BB|BRB|NA|Bridgetown|431|304139|.bb|BBD|Dollar|+1246|en-BB
BD|BGD|AS|Dhaka|144000|168697000|.bd|BDT|Taka|+880|bn-BD,en
BE|BEL|EU|Brussels|30510|11977600|.be|EUR|Euro|+32|nl-BE,fr-BE,de-BE
BF|BFA|AF|Ouagadougou|274200|23042200|.bf|XOF|Franc|+226|fr-BF,mos
BG|BGR|EU|Sofia|110910|6782660|.bg|EUR|Euro|+359|bg,tr-BG,rom
BH|BHR|AS|Manama|765|1566890|.bh|BHD|Dinar|+973|ar-BH,en,fa,ur
BI|BDI|AF|Gitega|27830|13590100|.bi|BIF|Franc|+257|fr-BI,rn
BJ|BEN|AF|Porto-Novo|112620|14697100|.bj|XOF|Franc|+229|fr-BJ
BL|BLM|NA|Gustavia|21|7086|.gp|EUR|Euro|+590|fr
BM|BMU|NA|Hamilton|53|72800|.bm|BMD|Dollar|+1441|en-BM,pt
BN|BRN|AS|Bandar Seri Begawan|5770|491900|.bn|BND|Dollar|+673|ms-BN,en-BN
BO|BOL|SA|Sucre|1098580|12312000|.bo|BOB|Boliviano|+591|es-BO,qu,ay
BQ|BES|NA|Kralendijk|328|20000|.bq|USD|Dollar|+599|nl,pap,en
BR|BRA|SA|Brasilia|8511965|220052000|.br|BRL|Real|+55|pt-BR,es,en,fr
BS|BHS|NA|Nassau|13940|410862|.bs|BSD|Dollar|+1242|en-BS
BT|BTN|AS|Thimphu|38394|884546|.bt|BTN|Ngultrum|+975|dz
BV|BVT|AN||49|1|.bv|NOK|Krone||
BW|BWA|AF|Gaborone|600370|2450670|.bw|BWP|Pula|+267|en-BW,tn-BW
BY|BLR|EU|Minsk|207600|9501450|.by|BYN|Belarusian ruble|+375|be,ru
BZ|BLZ|NA|Belmopan|22966|415789|.bz|BZD|Dollar|+501|en-BZ,es
CA|CAN|NA|Ottawa|9984670|38794800|.ca|CAD|Dollar|+1|en-CA,fr-CA,iu
CC|CCK|AS|West Island|14|593|.cc|AUD|Dollar|+61|ms-CC,en
CD|COD|AF|Kinshasa|2345410|115403000|.cd|CDF|Franc|+243|fr-CD,ln,ktu,kg,sw,lua
CF|CAF|AF|Bangui|622984|5650960|.cf|XAF|Franc|+236|fr-CF,sg,ln,kg
CG|COG|AF|Brazzaville|342000|6097670|.cg|XAF|Franc|+242|fr-CG,kg,ln-CG
CH|CHE|EU|Bern|41290|8860570|.ch|CHF|Franc|+41|de-CH,fr-CH,it-CH,rm
CI|CIV|AF|Yamoussoukro|322460|29981800|.ci|XOF|Franc|+225|fr-CI
CK|COK|OC|Avarua|240|7761|.ck|NZD|Dollar|+682|en-CK,mi
CL|CHL|SA|Santiago|756950|18664700|.cl|CLP|Peso|+56|es-CL
CM|CMR|AF|Yaounde|475440|30966100|.cm|XAF|Franc|+237|en-CM,fr-CM
CN|CHN|AS|Beijing|9596960|1416040000|.cn|CNY|Yuan Renminbi|+86|zh-CN,yue,wuu,dta,ug,za
CO|COL|SA|Bogota|1138910|49588400|.co|COP|Peso|+57|es-CO
CR|CRI|NA|San Jose|51100|5265580|.cr|CRC|Colon|+506|es-CR,en
CU|CUB|NA|Havana|110860|10966000|.cu|CUP|Peso|+53|es-CU,pap
CV|CPV|AF|Praia|4033|611014|.cv|CVE|Escudo|+238|pt-CV
CW|CUW|NA|Willemstad|444|153289|.cw|XCG|Guilder|+599|nl,pap
CX|CXR|OC|Flying Fish Cove|135|1692|.cx|AUD|Dollar|+61|en,zh,ms-CX
CY|CYP|EU|Nicosia|9250|1320530|.cy|EUR|Euro|+357|el-CY,tr-CY,en
CZ|CZE|EU|Prague|78866|10837900|.cz|CZK|Koruna|+420|cs,sk
DE|DEU|EU|Berlin|357021|84119100|.de|EUR|Euro|+49|de
DJ|DJI|AF|Djibouti|23000|994974|.dj|DJF|Franc|+253|fr-DJ,ar,so-DJ,aa
DK|DNK|EU|Copenhagen|43094|5973140|.dk|DKK|Krone|+45|da-DK,en,fo,de-DK
DM|DMA|NA|Roseau|754|74661|.dm|XCD|Dollar|+1767|en-DM
DO|DOM|NA|Santo Domingo|48730|10815900|.do|DOP|Peso|+1809|es-DO
DZ|DZA|AF|Algiers|2381740|47022500|.dz|DZD|Dinar|+213|ar-DZ
EC|ECU|SA|Quito|283560|18310000|.ec|USD|Dollar|+593|es-EC
EE|EST|EU|Tallinn|45226|1193790|.ee|EUR|Euro|+372|et,ru
EG|EGY|AF|Cairo|1001450|111247000|.eg|EGP|Pound|+20|ar-EG,en,fr
EH|ESH|AF|El-Aaiun|266000|652271|.eh|MAD|Dirham|+212|ar,mey
ER|ERI|AF|Asmara|121320|6343960|.er|ERN|Nakfa|+291|aa-ER,ar,tig,kun,ti-ER
ES|ESP|EU|Madrid|504782|47280400|.es|EUR|Euro|+34|es-ES,ca,gl,eu,oc
ET|ETH|AF|Addis Ababa|1127127|118550000|.et|ETB|Birr|+251|am,en-ET,om-ET,ti-ET,so-ET,sid
FI|FIN|EU|Helsinki|337030|5626410|.fi|EUR|Euro|+358|fi-FI,sv-FI,smn
FJ|FJI|OC|Suva|18270|951611|.fj|FJD|Dollar|+679|en-FJ,fj
FK|FLK|SA|Stanley|12173|3662|.fk|FKP|Pound|+500|en-FK
FM|FSM|OC|Palikir|702|99603|.fm|USD|Dollar|+691|en-FM,chk,pon,yap,kos,uli,woe,nkr,kpg
FO|FRO|EU|Torshavn|1399|52933|.fo|DKK|Krone|+298|fo,da-FO
FR|FRA|EU|Paris|547030|68374600|.fr|EUR|Euro|+33|fr-FR,frp,br,co,ca,eu,oc
GA|GAB|AF|Libreville|267667|2455110|.ga|XAF|Franc|+241|fr-GA
GB|GBR|EU|London|244820|68459100|.uk|GBP|Pound|+44|en-GB,cy-GB,gd
GD|GRD|NA|St. George's|344|114621|.gd|XCD|Dollar|+1473|en-GD
GE|GEO|AS|Tbilisi|69700|4900960|.ge|GEL|Lari|+995|ka,ru,hy,az
GF|GUF|SA|Cayenne|91000|199509|.gf|EUR|Euro|+594|fr-GF
GG|GGY|EU|St Peter Port|78|67787|.gg|GBP|Pound|+44|en,nrf
GH|GHA|AF|Accra|239460|34589100|.gh|GHS|Cedi|+233|en-GH,ak,ee,tw
GI|GIB|EU|Gibraltar|6|29683|.gi|GIP|Pound|+350|en-GI,es,it,pt
GL|GRL|NA|Nuuk|2166086|57751|.gl|DKK|Krone|+299|kl,da-GL,en
GM|GMB|AF|Banjul|11300|2523330|.gm|GMD|Dalasi|+220|en-GM,mnk,wof,wo,ff
GN|GIN|AF|Conakry|245857|13986200|.gn|GNF|Franc|+224|fr-GN
GP|GLP|NA|Basse-Terre|1780|452776|.gp|EUR|Euro|+590|fr-GP
GQ|GNQ|AF|Ciudad de la Paz|28051|1795830|.gq|XAF|Franc|+240|es-GQ,fr,pt
GR|GRC|EU|Athens|131940|10461100|.gr|EUR|Euro|+30|el-GR,en,fr
GS|SGS|AN|Grytviken|3903|20|.gs|GBP|Pound|+500|en
GT|GTM|NA|Guatemala City|108890|18255200|.gt|GTQ|Quetzal|+502|es-GT
GU|GUM|OC|Hagatna|549|169532|.gu|USD|Dollar|+1671|en-GU,ch-GU
GW|GNB|AF|Bissau|36120|2132330|.gw|XOF|Franc|+245|pt-GW,pov
GY|GUY|SA|Georgetown|214970|794099|.gy|GYD|Dollar|+592|en-GY
HK|HKG|AS|Hong Kong|1092|7297820|.hk|HKD|Dollar|+852|zh-HK,yue,zh,en
HM|HMD|AN||412|1|.hm|AUD|Dollar||
HN|HND|NA|Tegucigalpa|112090|9529190|.hn|HNL|Lempira|+504|es-HN,cab,miq
HR|HRV|EU|Zagreb|56542|4150120|.hr|EUR|Euro|+385|hr-HR,sr
HT|HTI|NA|Port-au-Prince|27750|11753900|.ht|HTG|Gourde|+509|ht,fr-HT
HU|HUN|EU|Budapest|93030|9855750|.hu|HUF|Forint|+36|hu-HU
ID|IDN|AS|Jakarta|1919440|281562000|.id|IDR|Rupiah|+62|id,en,nl,jv
IE|IRL|EU|Dublin|70280|5233460|.ie|EUR|Euro|+353|en-IE,ga-IE
IL|ISR|AS|Jerusalem|20770|9402620|.il|ILS|Shekel|+972|he,ar-IL,en-IL
IM|IMN|EU|Douglas|572|92269|.im|GBP|Pound|+44|en,gv
IN|IND|AS|New Delhi|3287590|1409130000|.in|INR|Rupee|+91|en-IN,hi,bn,te,mr,ta,ur,gu,kn,ml,or,pa,as,bh,sat,ks,ne,sd,kok,doi,mni,sit,sa,fr,lus,inc
IO|IOT|AS|Diego Garcia|60|3500|.io|USD|Dollar|+246|en-IO
IQ|IRQ|AS|Baghdad|437072|42083400|.iq|IQD|Dinar|+964|ar-IQ,ku,hy
IR|IRN|AS|Tehran|1648000|88386900|.ir|IRR|Rial|+98|fa-IR,ku
IS|ISL|EU|Reykjavik|103000|364036|.is|ISK|Krona|+354|is,en,de,da,sv,no
IT|ITA|EU|Rome|301230|60964900|.it|EUR|Euro|+39|it-IT,de-IT,fr-IT,sc,ca,co,sl
JE|JEY|EU|Saint Helier|116|103387|.je|GBP|Pound|+44|en,fr,nrf
JM|JAM|NA|Kingston|10991|2823710|.jm|JMD|Dollar|+1876|en-JM
JO|JOR|AS|Amman|92300|11174000|.jo|JOD|Dinar|+962|ar-JO,en
JP|JPN|AS|Tokyo|377835|123202000|.jp|JPY|Yen|+81|ja
KE|KEN|AF|Nairobi|582650|58246400|.ke|KES|Shilling|+254|en-KE,sw-KE
KG|KGZ|AS|Bishkek|198500|6172100|.kg|KGS|Som|+996|ky,uz,ru
KH|KHM|AS|Phnom Penh|181040|17063700|.kh|KHR|Riels|+855|km,fr,en
KI|KIR|OC|Tarawa|811|116545|.ki|AUD|Dollar|+686|en-KI,gil
KM|COM|AF|Moroni|2170|900141|.km|KMF|Franc|+269|ar,fr-KM
KN|KNA|NA|Basseterre|261|55133|.kn|XCD|Dollar|+1869|en-KN
KP|PRK|AS|Pyongyang|120540|26298700|.kp|KPW|Won|+850|ko-KP
KR|KOR|AS|Seoul|98480|52081800|.kr|KRW|Won|+82|ko-KR,en
KW|KWT|AS|Kuwait City|17820|3138360|.kw|KWD|Dinar|+965|ar-KW,en
KY|CYM|NA|George Town|262|66653|.ky|KYD|Dollar|+1345|en-KY
KZ|KAZ|AS|Astana|2717300|20260000|.kz|KZT|Tenge|+7|kk,ru
LA|LAO|AS|Vientiane|236800|7953560|.la|LAK|Kip|+856|lo,fr,en
LB|LBN|AS|Beirut|10400|5364480|.lb|LBP|Pound|+961|ar-LB,fr-LB,en,hy
LC|LCA|NA|Castries|616|168038|.lc|XCD|Dollar|+1758|en-LC
LI|LIE|EU|Vaduz|160|40272|.li|CHF|Franc|+423|de-LI
LK|LKA|AS|Colombo|65610|21982600|.lk|LKR|Rupee|+94|si,ta,en
LR|LBR|AF|Monrovia|111370|5437250|.lr|LRD|Dollar|+231|en-LR
LS|LSO|AF|Maseru|30355|2227550|.ls|LSL|Loti|+266|en-LS,st,zu,xh
LT|LTU|EU|Vilnius|65200|2628190|.lt|EUR|Euro|+370|lt,ru,pl
LU|LUX|EU|Luxembourg|2586|671254|.lu|EUR|Euro|+352|lb,de-LU,fr-LU
LV|LVA|EU|Riga|64589|1801250|.lv|EUR|Euro|+371|lv,ru,lt
LY|LBY|AF|Tripoli|1759540|7361260|.ly|LYD|Dinar|+218|ar-LY,it,en
MA|MAR|AF|Rabat|446550|37387600|.ma|MAD|Dirham|+212|ar-MA,ber,fr
MC|MCO|EU|Monaco|2.02|31813|.mc|EUR|Euro|+377|fr-MC,en,it
MD|MDA|EU|Chisinau|33843|3599530|.md|MDL|Leu|+373|ro,ru,gag,tr
ME|MNE|EU|Podgorica|14026|599849|.me|EUR|Euro|+382|sr,hu,bs,sq,hr,rom
MF|MAF|NA|Marigot|53|32996|.gp|EUR|Euro|+590|fr
MG|MDG|AF|Antananarivo|587040|29452700|.mg|MGA|Ariary|+261|fr-MG,mg
MH|MHL|OC|Majuro|181|82011|.mh|USD|Dollar|+692|mh,en-MH
MK|MKD|EU|Skopje|25333|2135620|.mk|MKD|Denar|+389|mk,sq,tr,rmm,sr
ML|MLI|AF|Bamako|1240000|21990600|.ml|XOF|Franc|+223|fr-ML,bm
MM|MMR|AS|Nay Pyi Taw|678500|57527100|.mm|MMK|Kyat|+95|my
MN|MNG|AS|Ulaanbaatar|1565000|3281680|.mn|MNT|Tugrik|+976|mn,ru
MO|MAC|AS|Macao|33|644426|.mo|MOP|Pataca|+853|zh,zh-MO,pt
MP|MNP|OC|Saipan|477|51118|.mp|USD|Dollar|+1670|fil,tl,zh,ch-MP,en-MP
MQ|MTQ|NA|Fort-de-France|1100|436131|.mq|EUR|Euro|+596|fr-MQ
MR|MRT|AF|Nouakchott|1030700|4328040|.mr|MRU|Ouguiya|+222|ar-MR,fuc,snk,fr,mey,wo
MS|MSR|NA|Plymouth|102|5468|.ms|XCD|Dollar|+1664|en-MS
MT|MLT|EU|Valletta|316|469730|.mt|EUR|Euro|+356|mt,en-MT
MU|MUS|AF|Port Louis|2040|1310500|.mu|MUR|Rupee|+230|en-MU,bho,fr
MV|MDV|AS|Male|300|388858|.mv|MVR|Rufiyaa|+960|dv,en
MW|MWI|AF|Lilongwe|118480|21763300|.mw|MWK|Kwacha|+265|ny,yao,tum,swk
MX|MEX|NA|Mexico City|1972550|130740000|.mx|MXN|Peso|+52|es-MX
MY|MYS|AS|Kuala Lumpur|329750|34564800|.my|MYR|Ringgit|+60|ms-MY,en,zh,ta,te,ml,pa,th
MZ|MOZ|AF|Maputo|801590|33351000|.mz|MZN|Metical|+258|pt-MZ,vmw
NA|NAM|AF|Windhoek|825418|2803660|.na|NAD|Dollar|+264|en-NA,af,de,hz,naq
NC|NCL|OC|Noumea|19060|304167|.nc|XPF|Franc|+687|fr-NC
NE|NER|AF|Niamey|1267000|26342800|.ne|XOF|Franc|+227|fr-NE,ha,kr,dje
NF|NFK|OC|Kingston|34|1748|.nf|AUD|Dollar|+672|en-NF
NG|NGA|AF|Abuja|923768|236747000|.ng|NGN|Naira|+234|en-NG,ha,yo,ig,ff
NI|NIC|NA|Managua|129494|6676950|.ni|NIO|Cordoba|+505|es-NI,en
NL|NLD|EU|Amsterdam|41526|17772400|.nl|EUR|Euro|+31|nl-NL,fy-NL
NO|NOR|EU|Oslo|324220|5509730|.no|NOK|Krone|+47|no,nb,nn,se,fi
NP|NPL|AS|Kathmandu|140800|31122400|.np|NPR|Rupee|+977|ne,en
NR|NRU|OC|Yaren|21|9892|.nr|AUD|Dollar|+674|na,en-NR
NU|NIU|OC|Alofi|260|2000|.nu|NZD|Dollar|+683|niu,en-NU
NZ|NZL|OC|Wellington|268680|5161210|.nz|NZD|Dollar|+64|en-NZ,mi
OM|OMN|AS|Muscat|309500|3901990|.om|OMR|Rial|+968|ar-OM,en,bal,ur
PA|PAN|NA|Panama City|78200|4470240|.pa|PAB|Balboa|+507|es-PA,en
PE|PER|SA|Lima|1285220|32600200|.pe|PEN|Sol|+51|es-PE,qu,ay
PF|PYF|OC|Papeete|4167|303540|.pf|XPF|Franc|+689|fr-PF,ty
PG|PNG|OC|Port Moresby|462840|10046200|.pg|PGK|Kina|+675|en-PG,ho,meu,tpi
PH|PHL|AS|Manila|300000|118277000|.ph|PHP|Peso|+63|tl,en-PH,fil,ceb,ilo,hil,war,pam,bik,bcl,pag,mrw,tsg,mdh,cbk,krj,sgd,msb,akl,ibg,yka,mta,abx
PK|PAK|AS|Islamabad|803940|252364000|.pk|PKR|Rupee|+92|ur-PK,en-PK,pa,sd,ps,brh
PL|POL|EU|Warsaw|312685|38746300|.pl|PLN|Zloty|+48|pl
PM|SPM|NA|Saint-Pierre|242|5132|.pm|EUR|Euro|+508|fr-PM
PN|PCN|OC|Adamstown|47|50|.pn|NZD|Dollar|+64|en-PN
PR|PRI|NA|San Juan|9104|3019450|.pr|USD|Dollar|+1787|en-PR,es-PR
PS|PSE|AS|East Jerusalem|5970|5385010|.ps|ILS|Shekel|+970|ar-PS
PT|PRT|EU|Lisbon|92391|10207200|.pt|EUR|Euro|+351|pt-PT,mwl
PW|PLW|OC|Melekeok|458|21864|.pw|USD|Dollar|+680|pau,sov,en-PW,tox,ja,fil,zh
PY|PRY|SA|Asuncion|406750|7522550|.py|PYG|Guarani|+595|es-PY,gn
QA|QAT|AS|Doha|11437|2552090|.qa|QAR|Rial|+974|ar-QA,es
RE|REU|AF|Saint-Denis|2517|787584|.re|EUR|Euro|+262|fr-RE
RO|ROU|EU|Bucharest|237500|18148200|.ro|RON|Leu|+40|ro,hu,rom
RS|SRB|EU|Belgrade|88361|6652210|.rs|RSD|Dinar|+381|sr,hu,bs,rom
RU|RUS|EU|Moscow|17100000|140821000|.ru|RUB|Ruble|+7|ru,tt,xal,cau,ady,kv,ce,tyv,cv,udm,tut,mns,bua,myv,mdf,chm,ba,inh,kbd,krc,av,sah,nog
RW|RWA|AF|Kigali|26338|13623300|.rw|RWF|Franc|+250|rw,en-RW,fr-RW,sw
SA|SAU|AS|Riyadh|1960582|36544400|.sa|SAR|Rial|+966|ar-SA
SB|SLB|OC|Honiara|28450|726799|.sb|SBD|Dollar|+677|en-SB,tpi
SC|SYC|AF|Victoria|455|98187|.sc|SCR|Rupee|+248|en-SC,fr-SC
SD|SDN|AF|Khartoum|1861484|50467300|.sd|SDG|Pound|+249|ar-SD,en,fia
SE|SWE|EU|Stockholm|449964|10589800|.se|SEK|Krona|+46|sv-SE,se,sma,fi-SE
SG|SGP|AS|Singapore|692|6028460|.sg|SGD|Dollar|+65|cmn,en-SG,ms-SG,ta-SG,zh-SG
SH|SHN|AF|Jamestown|410|7943|.sh|SHP|Pound|+290|en-SH
SI|SVN|EU|Ljubljana|20273|2097890|.si|EUR|Euro|+386|sl,sh
SJ|SJM|EU|Longyearbyen|62049|2926|.sj|NOK|Krone|+47|no,ru
SK|SVK|EU|Bratislava|48845|5563650|.sk|EUR|Euro|+421|sk,hu
SL|SLE|AF|Freetown|71740|9121050|.sl|SLE|Leone|+232|en-SL,men,tem
SM|SMR|EU|San Marino|61|35095|.sm|EUR|Euro|+378|it-SM
SN|SEN|AF|Dakar|196190|18847500|.sn|XOF|Franc|+221|fr-SN,wo,fuc,mnk
SO|SOM|AF|Mogadishu|637657|13017300|.so|SOS|Shilling|+252|so-SO,ar-SO,it,en-SO
SR|SUR|SA|Paramaribo|163270|646758|.sr|SRD|Dollar|+597|nl-SR,en,srn,hns,jv
SS|SSD|AF|Juba|644329|12703700|.ss|SSP|Pound|+211|en
ST|STP|AF|Sao Tome|1001|223561|.st|STN|Dobra|+239|pt-ST
SV|SLV|NA|San Salvador|21040|6628700|.sv|USD|Dollar|+503|es-SV
SX|SXM|NA|Philipsburg|34|46215|.sx|XCG|Guilder|+1721|nl,en
SY|SYR|AS|Damascus|185180|23865400|.sy|SYP|Pound|+963|ar-SY,ku,hy,arc,fr,en
SZ|SWZ|AF|Mbabane|17363|1138090|.sz|SZL|Lilangeni|+268|en-SZ,ss-SZ
TC|TCA|NA|Cockburn Town|948|60439|.tc|USD|Dollar|+1649|en-TC
TD|TCD|AF|N'Djamena|1284000|19093600|.td|XAF|Franc|+235|fr-TD,ar-TD,sre
TF|ATF|AN|Port-aux-Francais|7829|140|.tf|EUR|Euro|+262|fr
TG|TGO|AF|Lome|56785|8917990|.tg|XOF|Franc|+228|fr-TG,ee,hna,kbp,dag,ha
TH|THA|AS|Bangkok|514000|69921000|.th|THB|Baht|+66|th,en
TJ|TJK|AS|Dushanbe|143100|10394100|.tj|TJS|Somoni|+992|tg,ru
TK|TKL|OC||10|1647|.tk|NZD|Dollar|+690|tkl,en-TK
TL|TLS|OC|Dili|15007|1506910|.tl|USD|Dollar|+670|tet,pt-TL,id,en
TM|TKM|AS|Ashgabat|488100|5744150|.tm|TMT|Manat|+993|tk,ru,uz
TN|TUN|AF|Tunis|163610|12048800|.tn|TND|Dinar|+216|ar-TN,fr
TO|TON|OC|Nuku'alofa|748|104889|.to|TOP|Pa'anga|+676|to,en-TO
TR|TUR|AS|Ankara|780580|84119500|.tr|TRY|Lira|+90|tr-TR,ku,diq,az,av
TT|TTO|NA|Port of Spain|5128|1408970|.tt|TTD|Dollar|+1868|en-TT,hns,fr,es,zh
TV|TUV|OC|Funafuti|26|11733|.tv|AUD|Dollar|+688|tvl,en,sm,gil
TW|TWN|AS|Taipei|35980|23595300|.tw|TWD|Dollar|+886|zh-TW,zh,nan,hak
TZ|TZA|AF|Dodoma|945087|67462100|.tz|TZS|Shilling|+255|sw-TZ,en,ar
UA|UKR|EU|Kyiv|603700|35661800|.ua|UAH|Hryvnia|+380|uk,ru-UA,rom,pl,hu
UG|UGA|AF|Kampala|236040|49283000|.ug|UGX|Shilling|+256|en-UG,lg,sw,ar
UM|UMI|OC||34|316|.um|USD|Dollar|+1|en-UM
US|USA|NA|Washington|9629091|341963000|.us|USD|Dollar|+1|en-US,es-US,haw,fr
UY|URY|SA|Montevideo|176220|3425330|.uy|UYU|Peso|+598|es-UY
UZ|UZB|AS|Tashkent|447400|36520600|.uz|UZS|Som|+998|uz,ru,tg
VA|VAT|EU|Vatican City|0.44|1000|.va|EUR|Euro|+379|la,it,fr
VC|VCT|NA|Kingstown|389|100647|.vc|XCD|Dollar|+1784|en-VC,fr
VE|VEN|SA|Caracas|912050|31250300|.ve|VES|Bolivar Soberano|+58|es-VE
VG|VGB|NA|Road Town|153|40102|.vg|USD|Dollar|+1284|en-VG
VI|VIR|NA|Charlotte Amalie|352|104377|.vi|USD|Dollar|+1340|en-VI
VN|VNM|AS|Hanoi|329560|105759000|.vn|VND|Dong|+84|vi,en,fr,zh,km
VU|VUT|OC|Port Vila|12200|318007|.vu|VUV|Vatu|+678|bi,en-VU,fr-VU
WF|WLF|OC|Mata Utu|142|15964|.wf|XPF|Franc|+681|wls,fud,fr-WF
WS|WSM|OC|Apia|2944|208853|.ws|WST|Tala|+685|sm,en-WS
XK|XKX|EU|Pristina|10908|1977090||EUR|Euro|+383|sq,sr
YE|YEM|AS|Sanaa|527970|32140400|.ye|YER|Rial|+967|ar-YE
YT|MYT|AF|Mamoudzou|374|194000|.yt|EUR|Euro|+262|fr-YT
ZA|ZAF|AF|Pretoria|1219912|60442600|.za|ZAR|Rand|+27|zu,xh,af,nso,en-ZA,tn,st,ts,ss,ve,nr
ZM|ZMB|AF|Lusaka|752614|20799100|.zm|ZMW|Kwacha|+260|en-ZM,bem,loz,lun,lue,ny,toi
ZW|ZWE|AF|Harare|390580|17150400|.zw|ZWG|Zimbabwe Gold|+263|en-ZW,sn,nr,nd`;
