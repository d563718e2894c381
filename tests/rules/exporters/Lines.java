import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Reads lines of two base64 words, pattern and text; prints 1 when the pattern matches the whole text, 0 when not. */
public class Lines {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            String pattern = new String(Base64.getDecoder().decode(words[0]), StandardCharsets.UTF_8);
            String text = new String(Base64.getDecoder().decode(words[1]), StandardCharsets.UTF_8);
            try {
                System.out.println(Pattern.compile(pattern).matcher(text).matches() ? "1" : "0");
            } catch (PatternSyntaxException error) {
                System.out.println("refused");
            }
        }
    }
}
