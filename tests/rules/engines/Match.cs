// Reads lines of two base64 words, pattern and text; prints for each of two sets of options 1, 0 or "refused".
using System;
using System.Text;
using System.Text.RegularExpressions;

class Match {
    static string Decoded(string word) { return Encoding.UTF8.GetString(Convert.FromBase64String(word)); }
    static void Main() {
        RegexOptions[] sets = { RegexOptions.None, RegexOptions.CultureInvariant | RegexOptions.ECMAScript };
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine()) {
            string[] words = line.Split(' ');
            string told = "";
            foreach (RegexOptions options in sets) {
                try { told += Regex.IsMatch(Decoded(words[1]), Decoded(words[0]), options) ? "1" : "0"; }
                catch (ArgumentException) { told += "refused"; }
            }
            Console.WriteLine(told);
        }
    }
}
