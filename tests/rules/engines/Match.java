import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Reads lines of two base64 words, pattern and text; prints 1 when the pattern is found, 0 when not, or "refused".
 * With the argument "whole", the pattern must match the whole text.
 */
public class Match {
    public static void main(String[] arguments) throws Exception {
        boolean whole = arguments.length > 0 && arguments[0].equals("whole");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            String pattern = new String(Base64.getDecoder().decode(words[0]), StandardCharsets.UTF_8);
            String text = new String(Base64.getDecoder().decode(words[1]), StandardCharsets.UTF_8);
            try {
                Matcher matcher = Pattern.compile(pattern).matcher(text);
                System.out.println((whole ? matcher.matches() : matcher.find()) ? "1" : "0");
            } catch (PatternSyntaxException error) {
                System.out.println("refused");
            }
        }
    }
}
