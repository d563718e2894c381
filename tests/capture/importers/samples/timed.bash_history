#1795986227
shopt -s lithist cmdhist
#1795986228
python3 app.py config.json
#1795986229
cat config.json
#1795986229
for word in "one two"; do
  echo $word
done
#1795986230
echo 'größe ☃'
#1795986231
python3 app.py config.json || echo failed
#1795986231
exit
