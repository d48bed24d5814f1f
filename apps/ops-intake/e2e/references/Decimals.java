import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Tells for each line, a text in hexadecimal, whether it is a unit cost and whether it is a quantity, by java.math. */
class Decimals {
  static final int FRACTION_DIGITS = 8;
  static final int MOST_DIGITS = 15;

  static boolean isUnitCost(String text) {
    if (!text.matches("[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) return false;
    String[] parts = text.split("[eE]");
    String whole = parts[0].split("\\.")[0];
    if (parts.length == 1) {
      if (whole.length() > 1 && whole.startsWith("0")) return false;
    } else if (whole.length() > 1 || parts[1].replaceFirst("[+-]", "").length() > 3) return false;
    BigDecimal value = new BigDecimal(text);
    if (parts.length > 1) {
      if (value.signum() == 0) return true;
      value = value.stripTrailingZeros();
      if (value.scale() < 0) value = value.setScale(0);
    }
    int digits = value.signum() == 0 ? 0 : value.precision();
    return value.scale() <= FRACTION_DIGITS && digits <= MOST_DIGITS;
  }

  static boolean isQuantity(String text) {
    return text.matches("[1-9][0-9]*") && new BigInteger(text).bitLength() <= 53;
  }

  public static void main(String[] args) throws Exception {
    StringBuilder answers = new StringBuilder();
    try (var lines = new BufferedReader(new InputStreamReader(System.in))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String text = new String(HexFormat.of().parseHex(line), StandardCharsets.UTF_8);
        answers.append(isUnitCost(text) ? 1 : 0).append(' ').append(isQuantity(text) ? 1 : 0).append('\n');
      }
    }
    System.out.print(answers);
  }
}
