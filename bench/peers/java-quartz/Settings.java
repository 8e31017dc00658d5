import java.util.HashMap;
import java.util.Map;

/** The key=value arguments of this process. */
final class Settings {
  private final Map<String, String> values = new HashMap<>();

  Settings(String[] arguments, int from) {
    for (int i = from; i < arguments.length; i++) {
      int equals = arguments[i].indexOf('=');
      values.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
    }
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  String text(String key, String fallback) {
    return values.getOrDefault(key, fallback);
  }

  long number(String key, long fallback) {
    return has(key) ? Long.parseLong(values.get(key)) : fallback;
  }
}
