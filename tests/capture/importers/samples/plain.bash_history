python3 app.py config.json
cat config.json
for word in "one two"; do   echo $word; done
echo 'größe ☃'
python3 app.py config.json || echo failed
exit
