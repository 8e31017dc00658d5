import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** What this process and the one that started it say to each other. */
final class Lines {
  private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));

  private Lines() {}

  static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  /** Waits for the next line; false at the end of the input. */
  static boolean hear() throws IOException {
    return INPUT.readLine() != null;
  }
}
